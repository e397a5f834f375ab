/*
 * Stands in front of the system's write(2) for regular files that are written by name.
 * AMISS_SHORT=N writes only half of what the N-th write asks for (0: of every one).
 * AMISS_THEN=ERRNO fails the write after that one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long number = 0;

ssize_t write(int fd, const void *bytes, size_t length)
{
    struct stat facts;
    if (fd > 2 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) {
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
