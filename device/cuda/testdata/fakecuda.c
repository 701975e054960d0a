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
R cuFuncSetAttribute(void *f, int a, int v) { CTX; return a != 8 || v > 232448; }
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

// Graphs: nodes hold what they do; an executable graph is a copy of them. FAKECUDA_NOGRAPH makes instantiation fail.
typedef struct { void *f; unsigned gx, gy, gz, bx, by, bz, sh; void **params, **extra; } Kernel;
typedef struct { uint64_t sx[4], sm; void *sh, *sd, *sa, *s0; uint64_t sp, shh, dx[4], dm; void *dh, *dd, *da, *d0; uint64_t dp, dhh, w, h, d; } Copy;
typedef struct Node { int isCopy, index; Kernel k; uint64_t args[64]; int nargs; Copy c; struct Node *before; } Node;
typedef struct { Node *nodes[256]; int n; } Graph;
static R fillKernel(Node *n, const Kernel *k) {
	if (k->params || k->extra[0] != (void *)1 || k->extra[2] != (void *)2 || k->extra[4]) return 1;
	n->k = *k;
	n->nargs = *(uint64_t *)k->extra[3] / 8;
	memcpy(n->args, k->extra[1], 8 * n->nargs);
	return 0;
}
static R fillCopy(Node *n, const Copy *c) {
	if (c->sm != 2 || c->dm != 2 || c->h != 1 || c->d != 1 || !c->w) return 1;
	n->isCopy = 1;
	n->c = *c;
	return 0;
}
static R add(Node **out, Graph *g, Node **deps, uint64_t ndeps, Node *n) {
	if (ndeps != (g->n > 0) || (ndeps && deps[0] != g->nodes[g->n - 1])) return 1;
	n->index = g->n;
	g->nodes[g->n++] = *out = n;
	return 0;
}
R cuGraphCreate(Graph **g, unsigned f) { CTX; *g = calloc(1, sizeof(Graph)); return f; }
R cuGraphDestroy(Graph *g) { CTX; free(g); return 0; }
R cuGraphAddKernelNode(Node **out, Graph *g, Node **deps, uint64_t nd, const Kernel *k) { CTX; Node *n = calloc(1, sizeof(Node)); R r = fillKernel(n, k); return r ? r : add(out, g, deps, nd, n); }
R cuGraphAddMemcpyNode(Node **out, Graph *g, Node **deps, uint64_t nd, const Copy *c, void *ctx) { CTX; Node *n = calloc(1, sizeof(Node)); R r = fillCopy(n, c); return r || ctx != (void *)0x1000 ? 1 : add(out, g, deps, nd, n); }
R cuGraphInstantiateWithFlags(Graph **x, Graph *g, unsigned long long f) { CTX; if (f || getenv("FAKECUDA_NOGRAPH")) return 801; *x = malloc(sizeof(Graph)); **x = *g; return 0; }
R cuGraphExecKernelNodeSetParams(Graph *x, Node *n, const Kernel *k) { CTX; return x->nodes[n->index] != n || n->isCopy ? 1 : fillKernel(n, k); }
R cuGraphExecMemcpyNodeSetParams(Graph *x, Node *n, const Copy *c, void *ctx) { CTX; return x->nodes[n->index] != n || !n->isCopy ? 1 : fillCopy(n, c); }
R cuGraphExecDestroy(Graph *x) { CTX; free(x); return 0; }
R cuGraphLaunch(Graph *x, void *st) {
	CTX;
	if (!st) return 400;
	for (int i = 0; i < x->n; i++) {
		Node *n = x->nodes[i];
		if (n->isCopy) {
			memmove(n->c.dd, n->c.sd, n->c.w);
			continue;
		}
		uint64_t size = 8 * n->nargs;
		void *extra[] = {(void *)1, n->args, (void *)2, &size, 0};
		R r = cuLaunchKernel(n->k.f, n->k.gx, n->k.gy, n->k.gz, n->k.bx, n->k.by, n->k.bz, n->k.sh, st, 0, extra);
		if (r) return r;
	}
	return 0;
}
