// A libcuda to link with that needs none: it opens the driver's library at the first question for cards, so that one
// program runs with and without an NVIDIA driver. Without one, or where the driver does not start, every function returns
// the reason as its error, and none does anything.
//
//	cc -O2 -fPIC -c libcuda.c && ar rcs libcuda.a libcuda.o
//
// Every other function is a jump through a slot, so nothing here knows its arguments.

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// CUDA_ERROR_NOT_INITIALIZED, until the driver is opened and where it cannot be.
static int status = 3;

// A function that an open driver does not have is CUDA_ERROR_NOT_FOUND, never a success.
static int unavailable(void) { return status ? status : 500; }

#define SYMBOL(name) __attribute__((visibility("hidden"))) void *slot_##name = (void *)unavailable;
#include "symbols.h"
#undef SYMBOL

#if defined(__x86_64__)
#define JUMP(name) "\tjmp *slot_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "\tadrp x16, slot_" #name "\n\tldr x16, [x16, :lo12:slot_" #name "]\n\tbr x16\n"
#else
#error "no NVIDIA driver is known for this processor"
#endif

// Hidden, so that no library of NVIDIA's that is opened later takes these for the driver's.
#define SYMBOL(name) __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n" JUMP(name));
#include "symbols.h"
#undef SYMBOL

// What the driver's library is called, and where containers, WSL and NixOS have it when the loader does not know.
static const char *const libraries[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1",
                                        "/run/opengl-driver/lib/libcuda.so.1"};

// The driver opens its compiler of PTX by this name alone.
#define COMPILER "libnvidia-ptxjitcompiler.so.1"

static int (*count_of)(int *);

// Opens what lies beside a library and what the loader does not find there by itself: an open library is found by its name.
static void open_beside(const char *library, const char *name) {
    char path[256];
    const char *end = strrchr(library, '/');
    if (end == NULL || (size_t)(end - library) + strlen(name) + 2 > sizeof path) return;
    memcpy(path, library, end - library + 1);
    strcpy(path + (end - library + 1), name);
    dlopen(path, RTLD_NOW | RTLD_LOCAL);  // the driver tells where it is missing
}

// Opens the driver once; false where that fails.
static int open_driver(void) {
    static int tried;
    if (tried) return status == 0;
    tried = 1;
    void *driver = NULL;
    for (size_t i = 0; driver == NULL && i < sizeof libraries / sizeof *libraries; i++) {
        driver = dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL);
        if (driver != NULL) open_beside(libraries[i], COMPILER);
    }
    if (driver == NULL) return 0;
    int (*start)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    count_of = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
    if (start == NULL || count_of == NULL) return 0;
    status = start(0);
    if (status != 0) return 0;
    void *found;
#define SYMBOL(name) if ((found = dlsym(driver, #name)) != NULL) slot_##name = found;
#include "symbols.h"
#undef SYMBOL
    status = 0;
    return 1;
}

// The package calls this when the program starts and ends it where it fails; there is nothing to fail yet.
__attribute__((visibility("hidden"))) int cuInit(unsigned flags) { return (int)flags; }

__attribute__((visibility("hidden"))) int cuDeviceGetCount(int *count) {
    *count = 0;
    return open_driver() ? count_of(count) : status;
}
