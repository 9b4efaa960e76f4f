// SPDX-License-Identifier: Apache-2.0

// The library from Go through cgo: client CONFIG. Prices one step of Llama-3.1-8B on an H100, and checks every struct
// that it uses against the library's layout table, the way a binding does when it starts.
package main

// #cgo LDFLAGS: -lroofline
// #include <stdlib.h>
// #include <roofline.h>
import "C"

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"unsafe"
)

var passed, failed int

func check(what string, holds bool) {
	if holds {
		passed++
		return
	}
	failed++
	fmt.Printf("go: %s: no\n", what)
}

// text gives the characters of a fixed array up to its NUL.
func text(characters []C.char) string {
	return C.GoString(&characters[0])
}

type place struct{ offset, size uintptr }

// layout reads the library's table: struct and field to place; the field "" is the struct itself.
func layout() map[[2]string]place {
	rows := map[[2]string]place{}
	for index := C.int64_t(0); index < C.roofline_layout_count(); index++ {
		row := C.roofline_layout_row{struct_size: C.uint32_t(unsafe.Sizeof(C.roofline_layout_row{}))}
		if C.roofline_layout_at(index, &row, nil) == C.ROOFLINE_OK {
			key := [2]string{text(row.struct_name[:]), text(row.field[:])}
			rows[key] = place{uintptr(row.offset_bytes), uintptr(row.size_bytes)}
		}
	}
	return rows
}

// checkStruct compares a struct as cgo laid it out with the running library: a known field must be where it is expected,
// and the library's struct may have more.
func checkStruct(rows map[[2]string]place, name string, value any) {
	kind := reflect.TypeOf(value)
	whole, known := rows[[2]string{name, ""}]
	check(name+" is known and large enough", known && whole.size >= kind.Size())
	for i := 0; i < kind.NumField(); i++ {
		field := kind.Field(i)
		expected := place{field.Offset, field.Type.Size()}
		check(name+"."+field.Name+" is where it is expected", rows[[2]string{name, field.Name}] == expected)
	}
}

func openDevice(name string) *C.roofline_device {
	var device *C.roofline_device
	var problem C.roofline_error
	spelled := C.CString(name)
	defer C.free(unsafe.Pointer(spelled))
	check("a device opens", C.roofline_device_open(spelled, &device, &problem) == C.ROOFLINE_OK)
	return device
}

func loadModel(path string) *C.roofline_model {
	var model *C.roofline_model
	var problem C.roofline_error
	spelled := C.CString(path)
	defer C.free(unsafe.Pointer(spelled))
	check("a model loads", C.roofline_model_load(spelled, &model, &problem) == C.ROOFLINE_OK)
	return model
}

func near(actual, expected float64) bool {
	return math.Abs(actual-expected) < 1e-12*expected
}

func price(config string) {
	device, model := openDevice("h100-sxm"), loadModel(config)
	var plan *C.roofline_plan
	var problem C.roofline_error
	var deployment C.roofline_deployment
	C.roofline_deployment_init(&deployment, C.size_t(unsafe.Sizeof(deployment)))
	deployment.traffic = C.ROOFLINE_TRAFFIC_STREAMED
	check("a plan compiles", C.roofline_plan_new(device, model, &deployment, &plan, &problem) == C.ROOFLINE_OK)

	decode := C.roofline_sequences{count: 8, new_tokens: 1, context_tokens: 8192}
	step := C.roofline_step_result{struct_size: C.uint32_t(unsafe.Sizeof(C.roofline_step_result{}))}
	status := C.roofline_step_groups(plan, &decode, 1, C.size_t(unsafe.Sizeof(decode)), &step, &problem)
	check("a step is priced", status == C.ROOFLINE_OK)
	// weights 15,009,316,864 B and 8 * 8192 tokens of 131,072 B, at 3.35 TB/s; no product is compute-bound
	check("its time is the hand derivation's", near(float64(step.kernel_s), (15009316864+8*8192*131072)/3.35e12))

	var rows [16]C.roofline_kernel
	var count C.size_t
	status = C.roofline_step_kernels(plan, &decode, 1, C.size_t(unsafe.Sizeof(decode)), &rows[0], C.size_t(len(rows)),
		C.size_t(unsafe.Sizeof(rows[0])), &count, &problem)
	check("the kernel table is read", status == C.ROOFLINE_OK && count > 1)
	total := 0.0
	for _, row := range rows[:count] {
		total += float64(row.bound_s)
	}
	check("its rows add up to the step", near(total, float64(step.kernel_s)))

	deployment.memory_fraction = 2
	var refused *C.roofline_plan
	status = C.roofline_plan_new(device, model, &deployment, &refused, &problem)
	check("a bad field is refused", status == C.ROOFLINE_RANGE && refused == nil)
	check("a bad field is named", text(problem.path[:]) == "roofline_deployment.memory_fraction")
	C.roofline_plan_free(plan)
	C.roofline_device_free(device)
	C.roofline_model_free(model)
}

func provoke() {
	json := `{"schema": "roofline-device/1", "name": "x", "memory_bytes": 1, "memory_bytes_per_s": 1,
		"peaks_flops": {"bf16": -1}}`
	var device *C.roofline_device
	var problem C.roofline_error
	bytes := C.CString(json)
	defer C.free(unsafe.Pointer(bytes))
	status := C.roofline_device_parse(bytes, C.size_t(len(json)), &device, &problem)
	check("a bad value in JSON is refused", status == C.ROOFLINE_RANGE && device == nil)
	check("a bad value in JSON is named by its path", text(problem.path[:]) == "/peaks_flops/bf16")
}

func main() {
	check("the ABI is the header's", C.roofline_abi_version() == C.ROOFLINE_ABI_VERSION)
	rows := layout()
	checkStruct(rows, "roofline_layout_row", C.roofline_layout_row{})
	checkStruct(rows, "roofline_error", C.roofline_error{})
	checkStruct(rows, "roofline_deployment", C.roofline_deployment{})
	checkStruct(rows, "roofline_sequences", C.roofline_sequences{})
	checkStruct(rows, "roofline_step_result", C.roofline_step_result{})
	checkStruct(rows, "roofline_kernel", C.roofline_kernel{})
	price(os.Args[1])
	provoke()
	fmt.Printf("go: %d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
