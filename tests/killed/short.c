/*
 * Stands in front of the system's write(2) for regular files that are written by name.
 * AMISS_SHORT=N writes only half of what the N-th write asks for (0: of every one).
 * AMISS_THEN=ERRNO fails the write after that one.
 * AMISS_UNDER=PATH leaves files elsewhere alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long number = 0;

static int elsewhere(int fd)
{
    const char *under = getenv("AMISS_UNDER");
    char name[64], path[4096];
    ssize_t length;
    if (!under)
        return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    length = readlink(name, path, sizeof path);
    return length < (ssize_t)strlen(under) || strncmp(path, under, strlen(under)) != 0;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    struct stat facts;
    if (fd > 2 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && !elsewhere(fd)) {
        const char *at = getenv("AMISS_SHORT");
        const char *then = getenv("AMISS_THEN");
        long wanted = at ? atol(at) : -1;
        number++;
        if (then && number == wanted + 1) {
            errno = atoi(then);
            return -1;
        }
        if ((wanted == 0 || number == wanted) && length > 1)
            length /= 2;
    }
    return syscall(SYS_write, fd, bytes, length);
}
