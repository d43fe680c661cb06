/* Runs a fuzz target over the files of the folders given, in the order of their names, and over the empty input: what
 * fuzzing found once stays found in builds without libFuzzer. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_INPUT_BYTES ((size_t)16 << 20)

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* False if the file could not be read. */
static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MAX_INPUT_BYTES);
    int good = file && data;
    if (good) {
        size_t size = fread(data, 1, MAX_INPUT_BYTES, file);
        good = !ferror(file);
        /* A copy of exactly this size lets the sanitizers see reads behind the end. */
        uint8_t *exact = good ? realloc(data, size ? size : 1) : NULL;
        if (exact) data = exact;
        if (good) LLVMFuzzerTestOneInput(data, size);
    }
    if (!good) fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    if (file) fclose(file);
    return good;
}

/* The number of files replayed, -1 if one could not be read. A folder that does not exist is empty. */
static int replay_folder(const char *folder) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_visible, alphasort);
    int replayed = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (replayed >= 0) replayed = replay_file(path) ? replayed + 1 : -1;
        free(entries[i]);
    }
    free(entries);
    return replayed;
}

int main(int argc, char **argv) {
    static const uint8_t nothing[1];
    LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argc; i++) {
        int replayed = replay_folder(argv[i]);
        if (replayed < 0) return 1;
        printf("%s: %d inputs\n", argv[i], replayed);
    }
    return 0;
}
