/* SPDX-License-Identifier: Apache-2.0 */
/* Runs files, or every file of folders, through a fuzz target once: the corpus in ordinary tests, without libFuzzer. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static long inputs;

/* A target that does not hold ends the program, so every input that comes back has passed. */
static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        return 1;
    }
    static uint8_t buffer[1 << 20];
    size_t size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1); /* so that AddressSanitizer sees a read past the end */
    DEMAND(exact);
    for (size_t i = 0; i < size; i++)
        exact[i] = buffer[i];
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    inputs++;
    return 0;
}

static int replay(const char *path) {
    DIR *folder = opendir(path);
    if (!folder)
        return replay_file(path);
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        failed += replay_file(name);
    }
    closedir(folder);
    return failed;
}

int main(int count, char **arguments) {
    int failed = 0;
    for (int i = 1; i < count; i++)
        failed += replay(arguments[i]);
    printf("%ld passed, %d failed\n", inputs, failed);
    return failed || inputs == 0 ? 1 : 0;
}
