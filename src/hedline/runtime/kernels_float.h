/* The small float layers of a transformer and of the output: attention, layer norm, log-softmax. Included by kernels.c.
 *
 * Written with the compilers' vector types; each body is compiled twice, for AVX2 and for the plain machine.
 */
#ifndef HEDLINE_FLOAT_H
#define HEDLINE_FLOAT_H
#include "kernels_int8.h"

typedef float v8 __attribute__((vector_size(32), aligned(4)));
typedef int32_t v8i __attribute__((vector_size(32), aligned(4)));
#define INLINE static inline __attribute__((always_inline))
#define LOAD(p) (*(const v8 *)(p))
#define STORE(p, v) (*(v8 *)(p) = (v))

INLINE float add_up(const v8 *v) {
    const float *x = (const float *)v;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

INLINE void add_scaled(float *out, const float *x, float factor, Py_ssize_t n) {
    Py_ssize_t i = 0;
    for (; i + 8 <= n; i += 8) STORE(out + i, LOAD(out + i) + LOAD(x + i) * factor);
    for (; i < n; i++) out[i] += x[i] * factor;
}

/* exp of eight floats not above 0; below -87 it is 0 as far as a softmax can tell (relative error 2e-7). */
INLINE void exp8(v8 *value) {
    v8 x = *value;
    const v8 least = {-87.f, -87.f, -87.f, -87.f, -87.f, -87.f, -87.f, -87.f};
    v8i kept = x > least;
    x = (v8)(((v8i)x & kept) | ((v8i)least & ~kept));
    v8 n = x * 1.44269504f + 12582912.0f;
    n -= 12582912.0f;
    v8 r = x - n * 0.693359375f + n * 2.12194440e-4f;
    v8 p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    v8i power = (__builtin_convertvector(n, v8i) + 127) << 23;
    *value = (v8)((v8i)(p * (v8)power) & kept);
}

INLINE float largest(const float *x, Py_ssize_t n) {
    float top = -INFINITY;
    for (Py_ssize_t i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
    return top;
}

/* Sum of exp(x - top); the exponentials are written to `out` unless it is NULL. */
INLINE float exp_sum(const float *x, float *out, float top, Py_ssize_t n) {
    v8 total = {0};
    Py_ssize_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8 e = LOAD(x + i) - top;
        exp8(&e);
        if (out) STORE(out + i, e);
        total += e;
    }
    float sum = add_up(&total);
    for (; i < n; i++) {
        float e = expf(x[i] - top);
        if (out) out[i] = e;
        sum += e;
    }
    return sum;
}

INLINE void log_softmax_body(float *x, Py_ssize_t n) {
    float top = largest(x, n);
    if (!isfinite(top)) return;
    float shift = top + logf(exp_sum(x, NULL, top, n));
    for (Py_ssize_t i = 0; i < n; i++) x[i] -= shift;
}

INLINE void layer_norm_body(const float *x, const float *w, const float *b, float *out, Py_ssize_t n) {
    v8 total = {0}, squares = {0};
    Py_ssize_t i = 0;
    for (; i + 8 <= n; i += 8) total += LOAD(x + i);
    float sum = add_up(&total);
    for (; i < n; i++) sum += x[i];
    float mean = sum / (float)n;
    for (i = 0; i + 8 <= n; i += 8) {
        v8 d = LOAD(x + i) - mean;
        squares += d * d;
    }
    float variance = add_up(&squares);
    for (; i < n; i++) variance += (x[i] - mean) * (x[i] - mean);
    float factor = 1.0f / sqrtf(variance / (float)n + 1e-5f);
    for (i = 0; i < n; i++) out[i] = (x[i] - mean) * factor * w[i] + b[i];
}

/* Multi-head attention of query rows over the keys and values at `index` (or start, start + 1, … when NULL). */
typedef struct {
    const float *q, *k, *v; /* first row; a row of each is `*_stride` floats after the one before */
    Py_ssize_t q_stride, k_stride, v_stride;
    const int32_t *index;   /* (rows, index_stride) */
    const int64_t *start, *length;
    Py_ssize_t rows, index_stride, heads, depth, mean_stride;
    float *out, *mean; /* out (rows, heads * depth); mean (rows, mean_stride): weights averaged over heads, or NULL */
} Attend;

/* Keys and values of one row, or of several rows that look at the same ones, side by side in memory: keys turned
 * round, (heads, depth, padded), so that eight scores are one vector; values (heads, length, depth). */
typedef struct {
    float *keys, *values, *weights;
    Py_ssize_t length, padded;
} Gathered;

#define PADDED(LENGTH) (((LENGTH) + 7) / 8 * 8)

INLINE void gather_body(const Attend *t, Py_ssize_t row, Gathered *g) {
    const int32_t *index = t->index ? t->index + row * t->index_stride : NULL;
    Py_ssize_t depth = t->depth, width = t->heads * depth;
    g->length = t->length[row];
    g->padded = PADDED(g->length);
    for (Py_ssize_t j = 0; j < g->padded; j++) {
        Py_ssize_t place = j >= g->length ? -1 : index ? index[j] : t->start[row] + j;
        const float *k = t->k + place * t->k_stride, *v = t->v + place * t->v_stride;
        for (Py_ssize_t i = 0; i < width; i++) g->keys[i * g->padded + j] = place < 0 ? 0.0f : k[i];
        for (Py_ssize_t h = 0; place >= 0 && h < t->heads; h++)
            memcpy(g->values + (h * g->length + j) * depth, v + h * depth, (size_t)depth * sizeof(float));
    }
}

/* weights[j] = q · key j for the eight keys of each vector. */
INLINE void score_keys(const float *q, const float *keys, const Gathered *g, Py_ssize_t depth, float factor) {
    for (Py_ssize_t j = 0; j < g->padded; j += 8) {
        v8 even = {0}, odd = {0};
        Py_ssize_t d = 0;
        for (; d + 2 <= depth; d += 2) {
            even += LOAD(keys + d * g->padded + j) * q[d];
            odd += LOAD(keys + (d + 1) * g->padded + j) * q[d + 1];
        }
        if (d < depth) even += LOAD(keys + d * g->padded + j) * q[d];
        STORE(g->weights + j, (even + odd) * factor);
    }
}

INLINE void attend_body(const Attend *t, Py_ssize_t row, const Gathered *g) {
    Py_ssize_t depth = t->depth, length = g->length;
    float *out = t->out + row * t->heads * depth, *mean = t->mean ? t->mean + row * t->mean_stride : NULL;
    float *weights = g->weights;
    const float factor = 1.0f / sqrtf((float)depth);
    for (Py_ssize_t h = 0; h < t->heads; h++) {
        score_keys(t->q + row * t->q_stride + h * depth, g->keys + h * depth * g->padded, g, depth, factor);
        float total = exp_sum(weights, weights, largest(weights, length), length);
        float inverse = total > 0.0f ? 1.0f / total : 0.0f;
        for (Py_ssize_t j = 0; j < length; j++) weights[j] *= inverse;
        const float *values = g->values + h * length * depth;
        Py_ssize_t d = 0;
        for (; d + 16 <= depth; d += 16) {
            v8 low = {0}, high = {0};
            for (Py_ssize_t j = 0; j < length; j++) {
                low += LOAD(values + j * depth + d) * weights[j];
                high += LOAD(values + j * depth + d + 8) * weights[j];
            }
            STORE(out + h * depth + d, low);
            STORE(out + h * depth + d + 8, high);
        }
        for (; d < depth; d++) {
            out[h * depth + d] = 0.0f;
            for (Py_ssize_t j = 0; j < length; j++) out[h * depth + d] += values[j * depth + d] * weights[j];
        }
        for (Py_ssize_t j = 0; mean && j < length; j++) mean[j] += weights[j] / (float)t->heads;
    }
}

/* logits[r] += mixture[r] · extra, in column chunks that stay in the first-level cache; then log-softmax. */
INLINE void mix_body(float *logits, Py_ssize_t stride, const float *mixture, Py_ssize_t mixture_stride,
                     const float *extra, Py_ssize_t rows, Py_ssize_t terms, Py_ssize_t count) {
    for (Py_ssize_t c = 0; c < count; c += 512) {
        Py_ssize_t width = count - c < 512 ? count - c : 512;
        for (Py_ssize_t i = 0; i < terms; i++)
            for (Py_ssize_t r = 0; r < rows; r++)
                add_scaled(logits + r * stride + c, extra + i * count + c, mixture[r * mixture_stride + i], width);
    }
}

#define TWICE(NAME, PARAMETERS, ARGUMENTS)                                                                     \
    AVX2 static void NAME##_avx2 PARAMETERS { NAME##_body ARGUMENTS; }                                         \
    static void NAME##_plain PARAMETERS { NAME##_body ARGUMENTS; }                                             \
    static void NAME PARAMETERS {                                                                              \
        if (use_avx2) NAME##_avx2 ARGUMENTS;                                                                   \
        else NAME##_plain ARGUMENTS;                                                                           \
    }

TWICE(log_softmax, (float *x, Py_ssize_t n), (x, n))
TWICE(layer_norm, (const float *x, const float *w, const float *b, float *out, Py_ssize_t n), (x, w, b, out, n))
TWICE(gather, (const Attend *t, Py_ssize_t row, Gathered *g), (t, row, g))
TWICE(attend, (const Attend *t, Py_ssize_t row, const Gathered *g), (t, row, g))
TWICE(mix, (float *logits, Py_ssize_t stride, const float *mixture, Py_ssize_t mixture_stride, const float *extra,
            Py_ssize_t rows, Py_ssize_t terms, Py_ssize_t count),
      (logits, stride, mixture, mixture_stride, extra, rows, terms, count))

#endif
