// A driver for tests: memory is the host's, code is its own text, and a launch adds 1 to the first 64-bit word at its first argument. It checks what it is given,
// and fails on demand: FAKECUDA_MEMORY is how many bytes there are, FAKECUDA_LOST the launch that loses the device.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int R;
static __thread int current;
static int64_t left = 1 << 26;
static int launches, lost = -1, dead;
static char log_[] = "line 3: unexpected token";

#define CTX \
	if (!current) return 201; \
	if (dead) return 719

R cuInit(unsigned f) {
	if (f) return 1;
	if (getenv("FAKECUDA_MEMORY")) left = atoll(getenv("FAKECUDA_MEMORY"));
	if (getenv("FAKECUDA_LOST")) lost = atoi(getenv("FAKECUDA_LOST"));
	return 0;
}
R cuDriverGetVersion(int *v) { *v = 13000; return 0; }
R cuGetErrorName(R r, const char **s) { *s = r == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : r == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_FAKE"; return 0; }
R cuGetErrorString(R r, const char **s) { *s = r == 2 ? "out of memory" : r == 719 ? "unspecified launch failure" : "fake failure"; return 0; }
R cuDeviceGetCount(int *n) { *n = 1; return 0; }
R cuDeviceGet(int *d, int i) { *d = i; return i ? 101 : 0; }
R cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "Fake GPU"); return d; }
R cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 9 : a == 16 ? 4 : a == 97 ? 232448 : 0; return d; }
R cuDeviceTotalMem_v2(uint64_t *n, int d) { *n = left; return d; }
R cuDevicePrimaryCtxRetain(void **c, int d) { *c = (void *)0x1000; return d; }
R cuCtxSetCurrent(void *c) { current = c == (void *)0x1000; return !current; }
R cuMemAlloc_v2(void **p, uint64_t n) {
	CTX;
	if ((int64_t)n > left) return 2;
	char *q = aligned_alloc(512, (n + 1023) / 512 * 512);
	left -= n;
	*(uint64_t *)q = n;
	*p = q + 512;
	return 0;
}
R cuMemFree_v2(char *p) { CTX; left += *(uint64_t *)(p - 512); free(p - 512); return 0; }
R cuMemGetInfo_v2(uint64_t *f, uint64_t *t) { CTX; *f = left; *t = 1 << 26; return 0; }
R cuMemHostAlloc(void **p, uint64_t n, unsigned f) { CTX; *p = aligned_alloc(512, n); return f == 2 ? 0 : 1; }
R cuMemcpyHtoDAsync_v2(void *d, const void *s, uint64_t n, void *st) { CTX; if (!st) return 400; memcpy(d, s, n); return 0; }
R cuMemcpyDtoHAsync_v2(void *d, const void *s, uint64_t n, void *st) { CTX; if (!st) return 400; memcpy(d, s, n); return 0; }
R cuMemcpyDtoDAsync_v2(void *d, const void *s, uint64_t n, void *st) { CTX; if (!st) return 400; memmove(d, s, n); return 0; }
R cuMemsetD8Async(void *d, unsigned char c, uint64_t n, void *st) { CTX; memset(d, c, n); return 0; }
R cuStreamCreate(void **s, unsigned f) { CTX; static long next = 0x2000; *s = (void *)(next += 16); return f != 1; }
R cuStreamSynchronize(void *s) { CTX; return s ? 0 : 400; }
R cuStreamWaitEvent(void *s, void *e, unsigned f) { CTX; return !s || !e || f; }
R cuEventCreate(void **e, unsigned f) { CTX; *e = malloc(8); return f; }
R cuEventRecord(void *e, void *s) { CTX; *(int *)e = launches; return !s; }
R cuEventQuery(void *e) { CTX; return e ? 0 : 400; }
R cuEventSynchronize(void *e) { CTX; return e ? 0 : 400; }
R cuEventElapsedTime(float *ms, void *a, void *b) { CTX; *ms = *(int *)b - *(int *)a; return 0; }
R cuEventDestroy_v2(void *e) { CTX; free(e); return 0; }
R cuModuleLoadDataEx(void **m, const char *image, unsigned n, int *keys, void **vals) {
	CTX;
	if (n != 4 || keys[2] != 5) return 1;
	if (strstr(image, "broken")) { strncpy(vals[2], log_, (size_t)vals[3]); return 218; }
	*m = strdup(image);
	return 0;
}
R cuModuleGetFunction(void **f, void *m, const char *name) { CTX; *f = m; return strcmp(name, "k") ? 500 : 0; }
R cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned sh, void *st, void **params, void **extra) {
	CTX;
	if (!f || !gx || !gy || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 || sh || !st || params) return 1;
	if (extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4]) return 1;
	if (launches++ == lost) { dead = 1; return 0; }
	uint64_t *args = extra[1];
	if (*(uint64_t *)extra[3] % 8) return 1;
	*(uint64_t *)args[0] += 1;
	return 0;
}
R cuLinkCreate_v2(unsigned n, int *k, void **v, void **s) { CTX; *s = calloc(1, 16); return n != 4; }
R cuLinkAddData_v2(void **s, int t, void *d, uint64_t n, const char *name, unsigned a, void *b, void *c) { CTX; s[0] = strdup(d); s[1] = (void *)n; return t != 1; }
R cuLinkComplete(void **s, void **p, uint64_t *n) { CTX; *p = s[0]; *n = (uint64_t)s[1]; return 0; }
R cuLinkDestroy(void **s) { CTX; free(s[0]); free(s); return 0; }
