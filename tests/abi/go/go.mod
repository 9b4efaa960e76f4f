module roofline/abiclient

go 1.24
