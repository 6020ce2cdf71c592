/*
 * A CUDA driver without a device: as much of the Driver API as Millrace calls, kept to strictly.
 *
 * Every call is counted and its arguments are checked: handles must be live and belong to the current context, copies
 * must lie within live allocations, also when they are carried out. What breaks a rule is written down (stub_violations)
 * besides being answered with the driver's error. Device memory has addresses that no process can touch.
 *
 * Memory that a training engine on the processor allocated can be adopted: it is a device's from then on (stub_adopt).
 *
 * Copies are late: each stream has a thread that carries out what was asked for in order, with a pause of random length
 * before one piece of work in four. Copies from memory that is not page-locked are done within the call, as the driver does it.
 *
 * stub_fail(n, code, sticky) makes the n-th call from now fail. A failing call has no effect, but those that free, wait or
 * choose the context do it all the same: the driver documents that they may return errors of earlier asynchronous work.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    PRIMARY_CONTEXT_ACTIVE = 708,
    INVALID_HANDLE = 400,
    NOT_READY = 600
};

enum { DEVICES = 4, SLOTS = 1024, NON_BLOCKING = 1, PORTABLE = 1, BLOCKING_SYNC = 1, DISABLE_TIMING = 2, COMPUTE_MAJOR = 75, COMPUTE_MINOR = 76, SCHED_MASK = 7, SCHED_BLOCKING_SYNC = 4 };

#define DEVICE_BASE 0x4000000000000000ULL /* no address of a process: whoever follows it crashes */
#define DEVICE_GAP (1ULL << 20)           /* between allocations, so that what runs over an end is found out */

typedef unsigned long long Address;

typedef struct {
    int retained;
    int flags;
} Context;

typedef struct {
    int used;
    int device;
    Address address; /* as the program knows it */
    char *memory;    /* where the bytes are */
    size_t bytes;
    int adopted; /* somebody else allocated it, and frees it */
    int copies; /* asked for and not carried out */
} Memory;

typedef struct {
    int used;
    int device;
    long recorded; /* how often it was recorded */
    long passed;   /* the latest of these that was carried out */
    int timed;
    long first; /* what it was at when it was created */
    double passed_millis;
} Event;

typedef enum { COPY, RECORD, AWAIT } Kind;

typedef struct Task {
    Kind kind;
    struct Task *next;
    char *to;
    const char *from;
    size_t bytes;
    Memory *first;
    Memory *second;
    Event *event;
    long number;
} Task;

typedef struct {
    int used;
    int device;
    int ending;
    int started;
    pthread_t thread;
    Task *head;
    Task *tail;
    long asked;
    long done;
} Stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int devices = 1;
static int version = 12080;
static int initialized;
static unsigned pause_micros;
static unsigned seed = 1;
static long calls;
static long fail_at;
static const char *failed_call = ""; /* the function that failed last */
static int fail_code;
static int fail_sticky;
static size_t host_limit = SIZE_MAX;
static size_t device_limit = (size_t)1 << 34;
static long copies_pinned;
static long copies_pageable;
static long copies_within;

static Context contexts[DEVICES];
static Memory host_memory[SLOTS];
static Memory device_memory[SLOTS];
static Event events[SLOTS];
static Stream streams[SLOTS];
static Stream null_streams[DEVICES];
static Address next_address = DEVICE_BASE;
static int waits_may_spin; /* another part of the process retains a context before Millrace does */
static int held; /* the engine's streams do nothing meanwhile */

/* The GPUs that the process may use, by the driver's numbers, which are also its handles; of a part of a GPU, the part. */
static int visible[DEVICES];
static int parts[DEVICES];
static int visible_count = -1; /* all of them, in the order of their addresses */

static char violations[1 << 16];
static size_t violation_bytes;

static __thread Context *current;

static void violated(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof violations - violation_bytes;
    int written = vsnprintf(violations + violation_bytes, room, format, arguments);
    va_end(arguments);
    if (written > 0 && (size_t)written + 1 < room) {
        violation_bytes += (size_t)written;
        violations[violation_bytes++] = '\n';
        violations[violation_bytes] = 0;
    }
}

/* Under the lock: counts a call of a function; what it is to fail with, or 0. */
static int counted(const char *function) {
    calls++;
    if (fail_at > 0 && (calls == fail_at || (fail_sticky && calls > fail_at))) {
        failed_call = function;
        return fail_code;
    }
    return SUCCESS;
}

#define BEGIN()                 \
    pthread_mutex_lock(&lock);  \
    int failure = counted(__func__); \
    if (failure != SUCCESS) {   \
        return left(failure);   \
    }                           \
    if (!initialized) {         \
        violated("%s before cuInit", __func__); \
        return left(NOT_INITIALIZED); \
    }

/* For calls that free, wait or choose the context: they do so and then fail. */
#define BEGIN_DO()            \
    pthread_mutex_lock(&lock);  \
    int failure = counted(__func__);

#define NEED_CONTEXT()                                             \
    if (current == NULL || current->retained == 0) {               \
        violated("%s without a current context", __func__);        \
        return left(INVALID_CONTEXT);                              \
    }                                                              \
    int here = (int)(current - contexts);                          \
    (void)here;

static int left(int result) {
    pthread_mutex_unlock(&lock);
    return result;
}

static Memory *find(Memory *table, Address address, size_t bytes) {
    for (int i = 0; i < SLOTS; i++) {
        Memory *m = &table[i];
        if (m->used && address >= m->address && address - m->address < m->bytes && bytes <= m->bytes - (address - m->address)) {
            return m;
        }
    }
    return NULL;
}

static char *bytes_of(Memory *memory, Address address) {
    return memory->memory + (address - memory->address);
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

static void carry_out(Task *task) {
    switch (task->kind) {
    case COPY:
        if (!task->first->used || (task->second != NULL && !task->second->used)) {
            violated("a copy of %zu bytes found its memory freed", task->bytes);
            break;
        }
        pthread_mutex_unlock(&lock);
        memcpy(task->to, task->from, task->bytes);
        pthread_mutex_lock(&lock);
        task->first->copies--;
        if (task->second != NULL) {
            task->second->copies--;
        }
        break;
    case RECORD:
        if (task->event->passed < task->number) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            task->event->passed = task->number;
            task->event->passed_millis = now.tv_sec * 1e3 + now.tv_nsec / 1e6;
        }
        break;
    case AWAIT:
        while (task->event->used && task->event->passed < task->number) {
            pthread_cond_wait(&changed, &lock);
        }
        break;
    }
}

static void *work(void *argument) {
    Stream *stream = argument;
    unsigned mine = __sync_add_and_fetch(&seed, 7919);
    pthread_mutex_lock(&lock);
    while (1) {
        while ((stream->head == NULL && !stream->ending) || (held && stream >= null_streams && stream < null_streams + DEVICES)) {
            pthread_cond_wait(&changed, &lock);
        }
        Task *task = stream->head;
        if (task == NULL) {
            break;
        }
        if (pause_micros > 0 && rand_r(&mine) % 4 == 0) {
            unsigned micros = (unsigned)rand_r(&mine) % pause_micros;
            pthread_mutex_unlock(&lock);
            usleep(micros);
            pthread_mutex_lock(&lock);
        }
        carry_out(task);
        stream->head = task->next;
        if (stream->head == NULL) {
            stream->tail = NULL;
        }
        stream->done++;
        free(task);
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void ask(Stream *stream, Task task) {
    Task *copy = malloc(sizeof task);
    *copy = task;
    copy->next = NULL;
    if (stream->tail == NULL) {
        stream->head = copy;
    } else {
        stream->tail->next = copy;
    }
    stream->tail = copy;
    stream->asked++;
    if (!stream->started) {
        stream->started = 1;
        pthread_create(&stream->thread, NULL, work, stream);
    }
    pthread_cond_broadcast(&changed);
}

static void await_stream(Stream *stream) {
    long asked = stream->asked;
    while (stream->done < asked) {
        pthread_cond_wait(&changed, &lock);
    }
}

/* The null handle is the legacy stream of the current context. */
static Stream *stream_of(void *handle, const char *call) {
    int here = (int)(current - contexts);
    if (handle == NULL) {
        null_streams[here].used = 1;
        null_streams[here].device = here;
        return &null_streams[here];
    }
    Stream *stream = handle;
    if (stream < streams || stream >= streams + SLOTS || !stream->used) {
        violated("%s with a stream that does not exist", call);
        return NULL;
    }
    if (stream->device != here) {
        violated("%s with a stream of device %d while device %d is current", call, stream->device, here);
        return NULL;
    }
    return stream;
}

static Event *event_of(void *handle, const char *call) {
    Event *event = handle;
    if (event < events || event >= events + SLOTS || !event->used) {
        violated("%s with an event that does not exist", call);
        return NULL;
    }
    return event;
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

/* The number of devices that the process may use. */
static int count_of(void) { return visible_count < 0 ? devices : visible_count; }

/* The GPU of the machine, by its address, that has this number. */
static int gpu_of(int number) { return visible_count < 0 ? number : visible[number]; }

int cuInit(unsigned flags) {
    pthread_mutex_lock(&lock);
    int failure = counted(__func__);
    if (failure != SUCCESS) {
        return left(failure);
    }
    if (flags != 0) {
        violated("cuInit with flags");
    }
    if (count_of() == 0) {
        return left(NO_DEVICE);
    }
    initialized = 1;
    return left(SUCCESS);
}

int cuDriverGetVersion(int *found) {
    pthread_mutex_lock(&lock);
    int failure = counted(__func__);
    if (failure == SUCCESS) {
        *found = version;
    }
    return left(failure);
}

int cuDeviceGetCount(int *found) {
    BEGIN();
    *found = count_of();
    return left(SUCCESS);
}

int cuDeviceGet(int *device, int number) {
    BEGIN();
    if (number < 0 || number >= count_of()) {
        return left(INVALID_DEVICE);
    }
    *device = number;
    return left(SUCCESS);
}

int cuDeviceGetName(char *name, int room, int device) {
    BEGIN();
    snprintf(name, (size_t)room, "Stub GPU %d", gpu_of(device));
    return left(SUCCESS);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    BEGIN();
    if (device < 0 || device >= devices) {
        return left(INVALID_DEVICE);
    }
    *bytes = device_limit;
    return left(SUCCESS);
}

/* All attributes of compute capability 9.0; nothing else is asked for. */
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    BEGIN();
    if (device < 0 || device >= devices) {
        return left(INVALID_DEVICE);
    }
    if (attribute != COMPUTE_MAJOR && attribute != COMPUTE_MINOR) {
        violated("cuDeviceGetAttribute of attribute %d", attribute);
        return left(INVALID_VALUE);
    }
    *value = attribute == COMPUTE_MAJOR ? 9 : 0;
    return left(SUCCESS);
}

/* 57750000-0000-0000-0000-0000000000NN of a GPU, 57750000-0000-0000-0000-00000000PPNN of its part PP. */
static void write_uuid(unsigned char *uuid, int gpu, int part) {
    memset(uuid, 0, 16);
    uuid[0] = 0x57;
    uuid[1] = 0x75;
    uuid[14] = (unsigned char)part;
    uuid[15] = (unsigned char)gpu;
}

int cuDeviceGetUuid(unsigned char *uuid, int device) {
    BEGIN();
    if (device < 0 || device >= count_of()) {
        return left(INVALID_DEVICE);
    }
    write_uuid(uuid, gpu_of(device), 0);
    return left(SUCCESS);
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    BEGIN();
    if (device < 0 || device >= count_of()) {
        return left(INVALID_DEVICE);
    }
    write_uuid(uuid, gpu_of(device), visible_count < 0 ? 0 : parts[device]);
    return left(SUCCESS);
}

/* The addresses have the order of the GPUs' numbers. */
int cuDeviceGetPCIBusId(char *address, int room, int device) {
    BEGIN();
    if (device < 0 || device >= count_of()) {
        return left(INVALID_DEVICE);
    }
    snprintf(address, (size_t)room, "0000:%02x:00.0", 16 * (1 + gpu_of(device)));
    return left(SUCCESS);
}

/* As drivers before CUDA 11 did it: the flags cannot change while the context exists. */
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    BEGIN();
    if (device < 0 || device >= devices) {
        return left(INVALID_DEVICE);
    }
    if (contexts[device].retained > 0 && contexts[device].flags != (int)flags) {
        return left(PRIMARY_CONTEXT_ACTIVE);
    }
    contexts[device].flags = (int)flags;
    return left(SUCCESS);
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    BEGIN();
    if (device < 0 || device >= devices) {
        return left(INVALID_DEVICE);
    }
    *flags = (unsigned)contexts[device].flags;
    *active = contexts[device].retained > 0;
    return left(SUCCESS);
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    BEGIN();
    if (device < 0 || device >= devices) {
        violated("cuDevicePrimaryCtxRetain of device %d", device);
        return left(INVALID_DEVICE);
    }
    if (!waits_may_spin && contexts[device].retained == 0 && (contexts[device].flags & SCHED_MASK) != SCHED_BLOCKING_SYNC) {
        violated("cuDevicePrimaryCtxRetain with flags %d: whoever waits for the device would keep a core busy", contexts[device].flags);
    }
    contexts[device].retained++;
    *context = &contexts[device];
    return left(SUCCESS);
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    BEGIN_DO();
    if (device < 0 || device >= devices || contexts[device].retained == 0) {
        violated("cuDevicePrimaryCtxRelease of device %d, which is not retained", device);
        return left(INVALID_CONTEXT);
    }
    contexts[device].retained--;
    if (contexts[device].retained == 0) {
        contexts[device].flags = 0;
    }
    return left(failure);
}

int cuCtxSetCurrent(void *context) {
    BEGIN_DO();
    Context *wanted = context;
    if (wanted != NULL && (wanted < contexts || wanted >= contexts + DEVICES || wanted->retained == 0)) {
        violated("cuCtxSetCurrent with a context that is not retained");
        return left(INVALID_CONTEXT);
    }
    current = wanted;
    return left(failure);
}

/* Finds a place in the table, where the limit allows it; else null. */
static Memory *place_for(Memory *table, int here, size_t bytes, size_t limit) {
    size_t taken = 0;
    Memory *place = NULL;
    for (int i = 0; i < SLOTS; i++) {
        if (table[i].used && (table == host_memory || table[i].device == here)) {
            taken += table[i].bytes;
        } else if (!table[i].used && table[i].copies == 0 && place == NULL) {
            place = &table[i];
        }
    }
    return bytes > limit || taken > limit - bytes ? NULL : place;
}

static int allocate(Memory *table, size_t bytes, size_t limit, Memory **made) {
    int here = (int)(current - contexts);
    *made = place_for(table, here, bytes, limit);
    if (*made == NULL) {
        return OUT_OF_MEMORY;
    }
    char *memory = NULL;
    if (posix_memalign((void **)&memory, 4096, bytes) != 0) {
        return OUT_OF_MEMORY;
    }
    memset(memory, 0xA5, bytes); /* nobody may rely on zeros */
    **made = (Memory){.used = 1, .device = here, .memory = memory, .bytes = bytes};
    return SUCCESS;
}

static int freed(Memory *table, Address address, const char *call) {
    for (int i = 0; i < SLOTS; i++) {
        Memory *m = &table[i];
        if (m->used && m->address == address) {
            if (m->copies > 0) {
                violated("%s while %d copies are on their way", call, m->copies);
                while (m->copies > 0) {
                    pthread_cond_wait(&changed, &lock);
                }
            }
            m->used = 0;
            /* What reads it after this reads nonsense, and not by luck what was there. */
            memset(m->memory, 0x5A, m->bytes);
            if (!m->adopted) {
                free(m->memory);
            }
            return SUCCESS;
        }
    }
    violated("%s of what is not allocated", call);
    return INVALID_VALUE;
}

int cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    BEGIN();
    NEED_CONTEXT();
    if (bytes == 0 || flags != PORTABLE) {
        violated("cuMemHostAlloc of %zu bytes with flags %u", bytes, flags);
        return left(INVALID_VALUE);
    }
    Memory *made;
    int result = allocate(host_memory, bytes, host_limit, &made);
    if (result == SUCCESS) {
        made->address = (Address)(uintptr_t)made->memory;
        *address = made->memory;
    }
    return left(result);
}

int cuMemFreeHost(void *address) {
    BEGIN_DO();
    NEED_CONTEXT();
    int result = freed(host_memory, (Address)(uintptr_t)address, "cuMemFreeHost");
    return left(result == SUCCESS ? failure : result);
}

int cuMemAlloc_v2(Address *address, size_t bytes) {
    BEGIN();
    NEED_CONTEXT();
    if (bytes == 0) {
        violated("cuMemAlloc of 0 bytes");
        return left(INVALID_VALUE);
    }
    Memory *made;
    int result = allocate(device_memory, bytes, device_limit, &made);
    if (result == SUCCESS) {
        made->address = next_address;
        next_address += (bytes + DEVICE_GAP + 511) & ~511ULL;
        *address = made->address;
    }
    return left(result);
}

int cuMemFree_v2(Address address) {
    BEGIN_DO();
    NEED_CONTEXT();
    int result = freed(device_memory, address, "cuMemFree");
    return left(result == SUCCESS ? failure : result);
}

int cuMemGetInfo_v2(size_t *unused, size_t *total) {
    BEGIN();
    NEED_CONTEXT();
    size_t taken = 0;
    for (int i = 0; i < SLOTS; i++) {
        taken += device_memory[i].used && device_memory[i].device == here ? device_memory[i].bytes : 0;
    }
    *total = device_limit;
    *unused = device_limit - taken;
    return left(SUCCESS);
}

static Memory *on_device(Address address, size_t bytes, int here, const char *call) {
    Memory *found = find(device_memory, address, bytes);
    if (found == NULL) {
        violated("%s of %zu bytes outside of device memory", call, bytes);
    } else if (found->device != here) {
        violated("%s in memory of device %d while device %d is current", call, found->device, here);
        found = NULL;
    }
    return found;
}

int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *handle) {
    BEGIN();
    NEED_CONTEXT();
    Stream *stream = stream_of(handle, "cuMemcpyHtoDAsync");
    if (stream == NULL) {
        return left(INVALID_HANDLE);
    }
    Memory *target = on_device(to, bytes, here, "cuMemcpyHtoDAsync");
    if (target == NULL || bytes == 0) {
        return left(INVALID_VALUE);
    }
    Memory *source = find(host_memory, (Address)(uintptr_t)from, bytes);
    if (source == NULL) {
        copies_pageable++;
        await_stream(stream);
        memcpy(bytes_of(target, to), from, bytes);
        return left(SUCCESS);
    }
    copies_pinned++;
    target->copies++;
    source->copies++;
    ask(stream,
        (Task){.kind = COPY, .to = bytes_of(target, to), .from = from, .bytes = bytes, .first = target, .second = source});
    return left(SUCCESS);
}

int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *handle) {
    BEGIN();
    NEED_CONTEXT();
    Stream *stream = stream_of(handle, "cuMemcpyDtoHAsync");
    if (stream == NULL) {
        return left(INVALID_HANDLE);
    }
    Memory *source = on_device(from, bytes, here, "cuMemcpyDtoHAsync");
    if (source == NULL || bytes == 0) {
        return left(INVALID_VALUE);
    }
    Memory *target = find(host_memory, (Address)(uintptr_t)to, bytes);
    if (target == NULL) {
        copies_pageable++;
        await_stream(stream);
        memcpy(to, bytes_of(source, from), bytes);
        return left(SUCCESS);
    }
    copies_pinned++;
    target->copies++;
    source->copies++;
    ask(stream,
        (Task){.kind = COPY, .to = to, .from = bytes_of(source, from), .bytes = bytes, .first = source, .second = target});
    return left(SUCCESS);
}

int cuMemcpyDtoH_v2(void *to, Address from, size_t bytes) {
    BEGIN();
    NEED_CONTEXT();
    Memory *source = on_device(from, bytes, here, "cuMemcpyDtoH");
    if (source == NULL || bytes == 0) {
        return left(INVALID_VALUE);
    }
    await_stream(&null_streams[here]); /* it is the null stream's work */
    if (source->copies > 0) {
        violated("cuMemcpyDtoH of memory with %d copies on their way", source->copies);
    }
    memcpy(to, bytes_of(source, from), bytes);
    return left(SUCCESS);
}

int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *handle) {
    BEGIN();
    NEED_CONTEXT();
    Stream *stream = stream_of(handle, "cuMemcpyDtoDAsync");
    if (stream == NULL) {
        return left(INVALID_HANDLE);
    }
    Memory *source = on_device(from, bytes, here, "cuMemcpyDtoDAsync");
    Memory *target = on_device(to, bytes, here, "cuMemcpyDtoDAsync");
    if (source == NULL || target == NULL || bytes == 0) {
        return left(INVALID_VALUE);
    }
    if (to < from + bytes && from < to + bytes) {
        violated("cuMemcpyDtoDAsync of %zu bytes onto themselves", bytes);
        return left(INVALID_VALUE);
    }
    copies_within++;
    source->copies++;
    target->copies++;
    ask(stream,
        (Task){.kind = COPY,
               .to = bytes_of(target, to),
               .from = bytes_of(source, from),
               .bytes = bytes,
               .first = source,
               .second = target});
    return left(SUCCESS);
}

int cuStreamCreate(void **handle, unsigned flags) {
    BEGIN();
    NEED_CONTEXT();
    if (flags != NON_BLOCKING) {
        violated("cuStreamCreate with flags %u: it would wait for the engine's stream", flags);
    }
    for (int i = 0; i < SLOTS; i++) {
        if (!streams[i].used) {
            streams[i] = (Stream){.used = 1, .device = here};
            *handle = &streams[i];
            return left(SUCCESS);
        }
    }
    return left(OUT_OF_MEMORY);
}

int cuStreamDestroy_v2(void *handle) {
    BEGIN_DO();
    NEED_CONTEXT();
    Stream *stream = handle == NULL ? NULL : stream_of(handle, "cuStreamDestroy");
    if (stream == NULL) {
        return left(INVALID_HANDLE);
    }
    if (stream->done < stream->asked) {
        /* The driver would go on with it, in memory that may be freed next. */
        violated("cuStreamDestroy of a stream with %ld pieces of work left", stream->asked - stream->done);
    }
    stream->ending = 1;
    pthread_cond_broadcast(&changed);
    int started = stream->started;
    pthread_mutex_unlock(&lock);
    if (started) {
        pthread_join(stream->thread, NULL);
    }
    pthread_mutex_lock(&lock);
    stream->used = 0;
    return left(failure);
}

int cuStreamSynchronize(void *handle) {
    BEGIN_DO();
    NEED_CONTEXT();
    Stream *stream = stream_of(handle, "cuStreamSynchronize");
    if (stream == NULL) {
        return left(INVALID_HANDLE);
    }
    await_stream(stream);
    return left(failure);
}

int cuStreamWaitEvent(void *handle, void *event_handle, unsigned flags) {
    BEGIN();
    NEED_CONTEXT();
    Stream *stream = stream_of(handle, "cuStreamWaitEvent");
    Event *event = event_of(event_handle, "cuStreamWaitEvent");
    if (stream == NULL || event == NULL || flags != 0) {
        return left(INVALID_HANDLE);
    }
    ask(stream, (Task){.kind = AWAIT, .event = event, .number = event->recorded});
    return left(SUCCESS);
}

int cuEventCreate(void **handle, unsigned flags) {
    BEGIN();
    NEED_CONTEXT();
    if ((flags & ~(unsigned)DISABLE_TIMING) != BLOCKING_SYNC) {
        violated("cuEventCreate with flags %u: waiting for it would keep a core busy", flags);
    }
    for (int i = 0; i < SLOTS; i++) {
        if (!events[i].used) {
            /* Counts go on from the last owner of this place: streams may still wait for its numbers. */
            events[i].used = 1;
            events[i].timed = (flags & DISABLE_TIMING) == 0;
            events[i].first = events[i].recorded;
            events[i].device = here;
            *handle = &events[i];
            return left(SUCCESS);
        }
    }
    return left(OUT_OF_MEMORY);
}

int cuEventDestroy_v2(void *handle) {
    BEGIN_DO();
    NEED_CONTEXT();
    Event *event = event_of(handle, "cuEventDestroy");
    if (event == NULL) {
        return left(INVALID_HANDLE);
    }
    if (event->passed < event->recorded) {
        violated("cuEventDestroy of an event that has not passed");
        while (event->passed < event->recorded) {
            pthread_cond_wait(&changed, &lock);
        }
    }
    event->used = 0;
    pthread_cond_broadcast(&changed);
    return left(failure);
}

int cuEventRecord(void *handle, void *stream_handle) {
    BEGIN();
    NEED_CONTEXT();
    Event *event = event_of(handle, "cuEventRecord");
    Stream *stream = stream_of(stream_handle, "cuEventRecord");
    if (stream == NULL || event == NULL) {
        return left(INVALID_HANDLE);
    }
    if (event->device != stream->device) {
        violated("cuEventRecord of an event of device %d on device %d", event->device, stream->device);
        return left(INVALID_HANDLE);
    }
    ask(stream, (Task){.kind = RECORD, .event = event, .number = ++event->recorded});
    return left(SUCCESS);
}

int cuEventElapsedTime(float *millis, void *from_handle, void *to_handle) {
    BEGIN();
    NEED_CONTEXT();
    Event *from = event_of(from_handle, "cuEventElapsedTime");
    Event *to = event_of(to_handle, "cuEventElapsedTime");
    if (from == NULL || to == NULL || !from->timed || !to->timed || from->device != to->device) {
        violated("cuEventElapsedTime of events without times or of two devices");
        return left(INVALID_HANDLE);
    }
    if (from->recorded == from->first || to->recorded == to->first) {
        violated("cuEventElapsedTime of an event that was never recorded");
        return left(INVALID_HANDLE);
    }
    if (from->passed < from->recorded || to->passed < to->recorded) {
        return left(NOT_READY);
    }
    *millis = (float)(to->passed_millis - from->passed_millis);
    return left(SUCCESS);
}

int cuEventQuery(void *handle) {
    BEGIN();
    Event *event = event_of(handle, "cuEventQuery");
    if (event == NULL) {
        return left(INVALID_HANDLE);
    }
    return left(event->passed < event->recorded ? NOT_READY : SUCCESS);
}

int cuEventSynchronize(void *handle) {
    BEGIN_DO();
    Event *event = event_of(handle, "cuEventSynchronize");
    if (event == NULL) {
        return left(INVALID_HANDLE);
    }
    long recorded = event->recorded;
    while (event->passed < recorded) {
        pthread_cond_wait(&changed, &lock);
    }
    return left(failure);
}

/* Adds what one entry of CUDA_VISIBLE_DEVICES names; returns 0 for an entry that names nothing, or more than one GPU. */
static int show(const char *entry, size_t length, const int *order) {
    int gpu = -1;
    int part = 0;
    char *end;
    long number = strtol(entry, &end, 10);
    if (length > 0 && end == entry + length) {
        gpu = number < 0 || number >= devices ? -1 : order[number];
    } else {
        int matches = 0;
        for (int i = 0; i < devices; i++) {
            /* A GPU is named by any beginning that only it has; a part of a GPU by its whole UUID. */
            for (int p = 0; p < 3; p++) {
                char uuid[48];
                snprintf(uuid, sizeof uuid, "%s-57750000-0000-0000-0000-00000000%02x%02x", p == 0 ? "GPU" : "MIG", p, i);
                if (length > 4 && length <= strlen(uuid) && strncmp(uuid, entry, length) == 0 && (p == 0 || length == strlen(uuid))) {
                    gpu = i;
                    part = p;
                    matches++;
                }
            }
        }
        gpu = matches == 1 ? gpu : -1;
    }
    if (gpu < 0 || visible_count == DEVICES) {
        return 0;
    }
    visible[visible_count] = gpu;
    parts[visible_count++] = part;
    return 1;
}

/*
 * For whole programs that find this library by LD_LIBRARY_PATH: STUB_DEVICES is the number of GPUs, STUB_VERSION the
 * driver's version, and STUB_FASTEST the GPU that comes first unless CUDA_DEVICE_ORDER is PCI_BUS_ID. CUDA_VISIBLE_DEVICES
 * is read as the driver reads it: an entry that names nothing ends the list.
 */
__attribute__((constructor)) static void of_environment(void) {
    const char *count = getenv("STUB_DEVICES");
    const char *number = getenv("STUB_VERSION");
    const char *fastest = getenv("STUB_FASTEST");
    const char *by = getenv("CUDA_DEVICE_ORDER");
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    devices = count == NULL ? devices : atoi(count);
    version = number == NULL ? version : atoi(number);
    if (count == NULL) {
        return; /* a test sets everything itself */
    }
    int order[DEVICES];
    int first = fastest == NULL || (by != NULL && strcmp(by, "PCI_BUS_ID") == 0) ? 0 : atoi(fastest);
    for (int i = 0, rest = 0; i < devices; i++) {
        order[i] = i == 0 ? first : rest + (rest >= first);
        rest += i > 0;
    }
    visible_count = 0;
    if (list == NULL) {
        for (int i = 0; i < devices; i++) {
            visible[visible_count++] = order[i];
        }
        return;
    }
    for (const char *entry = list; *entry != 0;) {
        size_t length = strcspn(entry, ",");
        if (!show(entry, length, order)) {
            break;
        }
        entry += length + (entry[length] == ',');
    }
}

/* --- for the test ------------------------------------------------------------------------------------------------- */

/* As a driver that was just loaded, for so many devices; what is alive stays. */
void stub_reset(int count, int driver_version, unsigned pause) {
    pthread_mutex_lock(&lock);
    devices = count;
    visible_count = -1;
    version = driver_version;
    pause_micros = pause;
    initialized = 0;
    held = 0;
    calls = 0;
    fail_at = 0;
    fail_sticky = 0;
    host_limit = SIZE_MAX;
    device_limit = (size_t)1 << 34;
    copies_pinned = 0;
    copies_pageable = 0;
    copies_within = 0;
    violation_bytes = 0;
    violations[0] = 0;
    pthread_mutex_unlock(&lock);
}

/* Retains a device's context with flags, as another part of the process might do. */
void stub_retain(int device, int flags) {
    void *context;
    contexts[device].flags = flags;
    waits_may_spin = 1;
    cuDevicePrimaryCtxRetain(&context, device);
    waits_may_spin = 0;
}

void stub_release(int device) { cuDevicePrimaryCtxRelease_v2(device); }

int stub_flags(int device) { return contexts[device].flags; }

/* Memory of this process is a device's from now on, which somebody else allocated; 2 when the device has not so much. */
int stub_adopt(int device, long address, long bytes) {
    pthread_mutex_lock(&lock);
    Memory *made = place_for(device_memory, device, (size_t)bytes, device_limit);
    if (made == NULL) {
        return left(OUT_OF_MEMORY);
    }
    *made = (Memory){.used = 1,
                     .device = device,
                     .address = (Address)address,
                     .memory = (char *)(uintptr_t)address,
                     .bytes = (size_t)bytes,
                     .adopted = 1};
    memset(made->memory, 0xA5, made->bytes);
    return left(SUCCESS);
}

/* What was adopted is freed next by whoever allocated it. */
void stub_disown(long address) {
    pthread_mutex_lock(&lock);
    freed(device_memory, (Address)address, "freeing the engine's memory");
    pthread_mutex_unlock(&lock);
}

/* Limits of page-locked and of each device's memory, in bytes. */
void stub_limits(long host, long device) {
    pthread_mutex_lock(&lock);
    host_limit = (size_t)host;
    device_limit = (size_t)device;
    pthread_mutex_unlock(&lock);
}

/* The n-th call from now fails, the first being 1; if sticky, all later ones too. 0: none fails. */
void stub_fail(long n, int code, int sticky) {
    pthread_mutex_lock(&lock);
    fail_at = n == 0 ? 0 : calls + n;
    fail_code = code;
    fail_sticky = sticky;
    pthread_mutex_unlock(&lock);
}

/* Whether the call that was to fail has come. */
int stub_failed(void) {
    pthread_mutex_lock(&lock);
    int failed = fail_at > 0 && calls >= fail_at;
    pthread_mutex_unlock(&lock);
    return failed;
}

long stub_calls(void) { return calls; }
long stub_pinned_copies(void) { return copies_pinned; }
long stub_pageable_copies(void) { return copies_pageable; }
long stub_copies_within(void) { return copies_within; }
const char *stub_failed_call(void) { return failed_call; }
const char *stub_violations(void) { return violations; }

/* 1: the engine's streams stand still, as if a step took its time; 0: they go on. */
void stub_hold_engine(int hold) {
    pthread_mutex_lock(&lock);
    held = hold;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void stub_forget_violations(void) {
    pthread_mutex_lock(&lock);
    violation_bytes = 0;
    violations[0] = 0;
    pthread_mutex_unlock(&lock);
}

/* What is alive: contexts 0, page-locked memory 1, device memory 2, streams 3, events 4. */
long stub_alive(int kind) {
    long alive = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < DEVICES; i++) {
        alive += kind == 0 ? contexts[i].retained : 0;
    }
    for (int i = 0; i < SLOTS; i++) {
        alive += kind == 1   ? host_memory[i].used
                 : kind == 2 ? device_memory[i].used
                 : kind == 3 ? streams[i].used
                 : kind == 4 ? events[i].used
                             : 0;
    }
    pthread_mutex_unlock(&lock);
    return alive;
}
