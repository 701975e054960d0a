// A cuBLASLt for tests: it checks descriptions as they are made, offers three algorithms, of which the first fails when it runs, and multiplies float32 as
// the description says.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef int R;
typedef struct { int magic, ta, tb, epilogue; const float *bias; } Desc;
typedef struct { int magic, type, batch; uint64_t rows, cols; int64_t ld, step; } Layout;
typedef struct { uint64_t algo[8], work; int state; float waves; int reserved[4]; } Algo;
R cublasLtCreate(void **h) { *h = (void *)0x77; return 0; }
R cublasLtMatmulDescCreate(Desc **d, int compute, int scale) { *d = calloc(1, sizeof(Desc)); (*d)->magic = 1; return compute != 68 || scale != 0; }
R cublasLtMatmulDescSetAttribute(Desc *d, int a, const void *v, uint64_t n) {
	if (d->magic != 1) return 7;
	if (a == 3 && n == 4) d->ta = *(int *)v;
	else if (a == 4 && n == 4) d->tb = *(int *)v;
	else if (a == 7 && n == 4) d->epilogue = *(int *)v;
	else if (a == 26 && n == 4) return *(int *)v != 0;
	else if (a == 8 && n == 8) d->bias = *(void **)v;
	else return 7;
	return 0;
}
R cublasLtMatrixLayoutCreate(Layout **l, int type, uint64_t rows, uint64_t cols, int64_t ld) {
	*l = calloc(1, sizeof(Layout));
	**l = (Layout){2, type, 1, rows, cols, ld, 0};
	return type != 0 || ld < (int64_t)rows;
}
R cublasLtMatrixLayoutSetAttribute(Layout *l, int a, const void *v, uint64_t n) {
	if (l->magic != 2) return 7;
	if (a == 5 && n == 4) l->batch = *(int *)v;
	else if (a == 6 && n == 8) l->step = *(int64_t *)v;
	else return 7;
	return 0;
}
R cublasLtMatmulPreferenceCreate(int **p) { *p = calloc(1, 64); **p = 3; return 0; }
R cublasLtMatmulPreferenceSetAttribute(int *p, int a, const void *v, uint64_t n) { return *p != 3 || !(a == 1 && n == 8 || a >= 5 && a <= 8 && n == 4); }
R cublasLtMatmulAlgoGetHeuristic(void *h, Desc *d, Layout *a, Layout *b, Layout *c, Layout *e, int *pref, int want, Algo *out, int *n) {
	if (h != (void *)0x77 || d->magic != 1 || a->magic != 2 || b->magic != 2 || c != e || *pref != 3 || want < 3) return 7;
	for (int i = 0; i < 3; i++) out[i].algo[0] = 10 + i;
	*n = 3;
	return 0;
}
R cublasLtMatmul(void *h, Desc *d, float *alpha, float *A, Layout *a, float *B, Layout *b, float *beta, float *C, Layout *c, float *D, Layout *e, uint64_t *algo, void *work, uint64_t size, void *stream) {
	if (h != (void *)0x77 || *alpha != 1 || *beta != 0 || C != D || c != e || !work || !size || !stream) return 7;
	if (*algo == 10) return 13;
	if (a->batch != c->batch || b->batch != c->batch) return 7;
	uint64_t k = d->ta ? a->rows : a->cols;
	if (k != (d->tb ? b->cols : b->rows) || c->rows != (d->ta ? a->cols : a->rows) || c->cols != (d->tb ? b->rows : b->cols)) return 7;
	for (int z = 0; z < c->batch; z++)
		for (uint64_t j = 0; j < c->cols; j++)
			for (uint64_t i = 0; i < c->rows; i++) {
				float s = d->epilogue == 4 ? d->bias[i] : 0;
				for (uint64_t x = 0; x < k; x++)
					s += A[z * a->step + (d->ta ? x + i * a->ld : i + x * a->ld)] * B[z * b->step + (d->tb ? j + x * b->ld : x + j * b->ld)];
				D[z * c->step + i + j * c->ld] = s;
			}
	return 0;
}
