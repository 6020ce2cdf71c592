/* NVIDIA's management library for two GPUs that are not there: as much of it as Millrace calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, GPU_IS_LOST = 15 };
enum { GPUS = 2, MOST_GPUS = 4 };

typedef struct {
    unsigned gpu;
    unsigned memory;
} Utilization;

static int opened;
static int devices[MOST_GPUS];

static int text(char *target, unsigned room, const char *what) {
    if (strlen(what) + 1 > room) {
        return INSUFFICIENT_SIZE;
    }
    strcpy(target, what);
    return SUCCESS;
}

static int number(void *device) { return (int)((int *)device - devices); }

int nvmlInit_v2(void) {
    opened++;
    return SUCCESS;
}

int nvmlShutdown(void) {
    if (opened == 0) {
        return UNINITIALIZED;
    }
    opened--;
    return SUCCESS;
}

int stub_opened(void) { return opened; }

const char *nvmlErrorString(int result) { return result == NOT_FOUND ? "Not Found" : "Some Error"; }

int nvmlSystemGetDriverVersion(char *version, unsigned room) { return text(version, room, "570.86.15"); }

/* STUB_DEVICES is for whole programs, as in the stub of the driver. CUDA_VISIBLE_DEVICES hides no GPU from this library. */
static unsigned gpus(void) {
    const char *count = getenv("STUB_DEVICES");
    return count == NULL ? GPUS : (unsigned)atoi(count);
}

int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = gpus();
    return opened ? SUCCESS : UNINITIALIZED;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    if (index >= gpus()) {
        return INVALID_ARGUMENT;
    }
    const char *lost = getenv("STUB_LOST"); /* a GPU that the machine has lost */
    if (lost != NULL && (unsigned)atoi(lost) == index) {
        return GPU_IS_LOST;
    }
    *device = &devices[index];
    return SUCCESS;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned room) {
    char told[64];
    snprintf(told, sizeof told, "GPU-57750000-0000-0000-0000-0000000000%02x", number(device));
    return text(uuid, room, told);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    for (unsigned i = 0; i < gpus(); i++) {
        char known[64];
        nvmlDeviceGetUUID(&devices[i], known, sizeof known);
        if (strcmp(known, uuid) == 0) {
            *device = &devices[i];
            return SUCCESS;
        }
    }
    return NOT_FOUND;
}

int nvmlDeviceGetName(void *device, char *name, unsigned room) {
    char told[64];
    snprintf(told, sizeof told, "Stub GPU %d", number(device));
    return text(name, room, told);
}

int nvmlDeviceGetUtilizationRates(void *device, Utilization *rates) {
    rates->gpu = number(device) == 0 ? 87 : 0;
    rates->memory = 40;
    return SUCCESS;
}

/* The second GPU does not tell. */
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
    if (number(device) == 1) {
        return NOT_SUPPORTED;
    }
    *milliwatts = 412500;
    return SUCCESS;
}
