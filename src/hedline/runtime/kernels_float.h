/* The small float layers of a network and of its output: layer norm, softmax, mixtures. Included by kernels.c.
 *
 * Written with the compilers' vector types, sixteen floats wide; each body is compiled for AVX512, for AVX2 and for
 * the plain machine. Lanes are added up in one fixed order, whatever the machine's own vectors are.
 */
#ifndef HEDLINE_FLOAT_H
#define HEDLINE_FLOAT_H
#include "kernels_int8.h"

typedef float v16 __attribute__((vector_size(64), aligned(4)));
typedef float v8 __attribute__((vector_size(32), aligned(4)));
typedef float v4 __attribute__((vector_size(16), aligned(4)));
typedef int32_t v16i __attribute__((vector_size(64), aligned(4)));
#define INLINE static inline __attribute__((always_inline))
#define LOAD(p) (*(const v16 *)(p))
#define STORE(p, v) (*(v16 *)(p) = (v))
#define LANES 16
#define MIX_ROWS 5 /* a usual beam */
#define PADDED(LENGTH) (((LENGTH) + LANES - 1) / LANES * LANES)
#define NOTHING (-1e30f) /* a score that softmax gives no weight */

/* Halves on halves: 8, 4, 2, 1 lanes. */
INLINE float add_up(const v16 *v) {
    v8 eight = ((const v8 *)v)[0] + ((const v8 *)v)[1];
    v4 four = ((const v4 *)&eight)[0] + ((const v4 *)&eight)[1];
    return (four[0] + four[2]) + (four[1] + four[3]);
}

INLINE void add_scaled(float *out, const float *x, float factor, Py_ssize_t n) {
    Py_ssize_t i = 0;
    for (; i + LANES <= n; i += LANES) STORE(out + i, LOAD(out + i) + LOAD(x + i) * factor);
    for (; i < n; i++) out[i] += x[i] * factor;
}

/* exp of floats not above 0; below -87 it is 0 as far as a softmax can tell (relative error 2e-7). */
INLINE void exp16(v16 *value) {
    v16 x = *value;
    v16i kept = x > -87.0f;
    x = (v16)((v16i)x & kept);
    v16 n = x * 1.44269504f + 12582912.0f;
    n -= 12582912.0f;
    v16 r = x - n * 0.693359375f + n * 2.12194440e-4f;
    v16 p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    v16i power = (__builtin_convertvector(n, v16i) + 127) << 23;
    *value = (v16)((v16i)(p * (v16)power) & kept);
}

/* The last lanes of a row, those past its end at NOTHING: sums are the same whatever follows the row in memory. */
INLINE void load_rest(v16 *value, const float *x, Py_ssize_t count) {
    float lanes[LANES];
    for (int i = 0; i < LANES; i++) lanes[i] = i < count ? x[i] : NOTHING;
    *value = LOAD(lanes);
}

INLINE float largest(const float *x, Py_ssize_t n) {
    v16 tops, more;
    if (n >= LANES) tops = LOAD(x);
    else load_rest(&tops, x, n);
    for (Py_ssize_t i = LANES; i < n; i += LANES) {
        if (i + LANES <= n) more = LOAD(x + i);
        else load_rest(&more, x + i, n - i);
        v16i higher = more > tops;
        tops = (v16)(((v16i)more & higher) | ((v16i)tops & ~higher));
    }
    float half[8];
    const float *lanes = (const float *)&tops;
    for (int i = 0; i < 8; i++) half[i] = lanes[i] > lanes[i + 8] ? lanes[i] : lanes[i + 8];
    for (int i = 0; i < 4; i++) half[i] = half[i] > half[i + 4] ? half[i] : half[i + 4];
    float left = half[0] > half[2] ? half[0] : half[2], right = half[1] > half[3] ? half[1] : half[3];
    return left > right ? left : right;
}

/* Sum of exp(x - top); the exponentials are written to `out` unless it is NULL. */
INLINE float exp_sum(const float *x, float *out, float top, Py_ssize_t n) {
    v16 total = {0}, e;
    Py_ssize_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        e = LOAD(x + i) - top;
        exp16(&e);
        if (out) STORE(out + i, e);
        total += e;
    }
    if (i < n) {
        load_rest(&e, x + i, n - i);
        e -= top;
        exp16(&e);
        if (out) memcpy(out + i, &e, (size_t)(n - i) * sizeof(float));
        total += e;
    }
    return add_up(&total);
}

INLINE void log_softmax_body(float *x, Py_ssize_t n) {
    float top = largest(x, n);
    if (!isfinite(top) || top <= NOTHING) return;
    float shift = top + logf(exp_sum(x, NULL, top, n));
    Py_ssize_t i = 0;
    for (; i + LANES <= n; i += LANES) STORE(x + i, LOAD(x + i) - shift);
    for (; i < n; i++) x[i] -= shift;
}

INLINE void layer_norm_body(const float *x, const float *w, const float *b, float *out, Py_ssize_t n) {
    v16 total = {0}, squares = {0};
    Py_ssize_t i = 0;
    for (; i + LANES <= n; i += LANES) total += LOAD(x + i);
    float sum = add_up(&total);
    for (; i < n; i++) sum += x[i];
    float mean = sum / (float)n;
    for (i = 0; i + LANES <= n; i += LANES) {
        v16 d = LOAD(x + i) - mean;
        squares += d * d;
    }
    float variance = add_up(&squares);
    for (; i < n; i++) variance += (x[i] - mean) * (x[i] - mean);
    float factor = 1.0f / sqrtf(variance / (float)n + 1e-5f);
    for (i = 0; i + LANES <= n; i += LANES) STORE(out + i, (LOAD(x + i) - mean) * factor * LOAD(w + i) + LOAD(b + i));
    for (; i < n; i++) out[i] = (x[i] - mean) * factor * w[i] + b[i];
}

/* 16 columns of a few rows of logits += mixture · extra. The sums stay in registers over all terms, which AVX2 has for
 * vectors of eight only. */
INLINE void mix_tile(float *logits, Py_ssize_t stride, const float *mixture, Py_ssize_t mixture_stride,
                     const float *extra, Py_ssize_t terms, Py_ssize_t count, const int rows) {
    v8 sums[MIX_ROWS][2];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int half = 0; half < 2; half++) sums[r][half] = *(const v8 *)(logits + r * stride + 8 * half);
    for (Py_ssize_t i = 0; i < terms; i++) {
        v8 low = *(const v8 *)(extra + i * count), high = *(const v8 *)(extra + i * count + 8);
        UNROLL for (int r = 0; r < rows; r++) {
            float factor = mixture[r * mixture_stride + i];
            sums[r][0] += low * factor;
            sums[r][1] += high * factor;
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int half = 0; half < 2; half++) *(v8 *)(logits + r * stride + 8 * half) = sums[r][half];
}

/* logits[r] += mixture[r] · extra */
INLINE void mix_body(float *logits, Py_ssize_t stride, const float *mixture, Py_ssize_t mixture_stride,
                     const float *extra, Py_ssize_t rows, Py_ssize_t terms, Py_ssize_t count) {
    Py_ssize_t whole = count / LANES * LANES;
    for (Py_ssize_t r = 0, n; r < rows; r += n, logits += n * stride, mixture += n * mixture_stride) {
        n = rows - r < MIX_ROWS ? 1 : MIX_ROWS;
        for (Py_ssize_t c = 0; c < whole; c += LANES) {
            if (n == 1) mix_tile(logits + c, stride, mixture, mixture_stride, extra + c, terms, count, 1);
            else mix_tile(logits + c, stride, mixture, mixture_stride, extra + c, terms, count, MIX_ROWS);
        }
        for (Py_ssize_t i = 0; i < terms; i++)
            for (Py_ssize_t k = 0; k < n; k++)
                add_scaled(logits + k * stride + whole, extra + i * count + whole, mixture[k * mixture_stride + i],
                           count - whole);
    }
}

/* One function for each level from one body. */
#define THRICE(NAME, PARAMETERS, ARGUMENTS)                                                                    \
    AVX512 static void NAME##_avx512 PARAMETERS { NAME##_body ARGUMENTS; }                                     \
    AVX2 static void NAME##_avx2 PARAMETERS { NAME##_body ARGUMENTS; }                                         \
    static void NAME##_plain PARAMETERS { NAME##_body ARGUMENTS; }                                             \
    static void NAME PARAMETERS {                                                                              \
        if (use_level >= VNNI) NAME##_avx512 ARGUMENTS;                                                        \
        else if (use_level >= WITH_AVX2) NAME##_avx2 ARGUMENTS;                                                \
        else NAME##_plain ARGUMENTS;                                                                           \
    }

THRICE(log_softmax, (float *x, Py_ssize_t n), (x, n))
THRICE(layer_norm, (const float *x, const float *w, const float *b, float *out, Py_ssize_t n), (x, w, b, out, n))
THRICE(mix, (float *logits, Py_ssize_t stride, const float *mixture, Py_ssize_t mixture_stride, const float *extra,
             Py_ssize_t rows, Py_ssize_t terms, Py_ssize_t count),
       (logits, stride, mixture, mixture_stride, extra, rows, terms, count))

#endif
