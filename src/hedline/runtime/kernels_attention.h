/* Multi-head attention in float32, one head after the other. Included by kernels.c.
 *
 * Over a span (the input): a head's keys lie turned round, (depth, padded), so that sixteen scores are one vector, its
 * values one after the other, and up to six query rows share every key and value that is read. Over a pool (the pieces
 * a hypothesis has taken): keys are found one by one. Each row's sums run in an order of its own, so a row is the same
 * alone and beside others.
 */
#ifndef HEDLINE_ATTENTION_H
#define HEDLINE_ATTENTION_H
#include "kernels_float.h"

#define QUERIES 6     /* query rows in a tile */
#define USUAL_DEPTH 64 /* of a head: loops over it are unrolled */

/* One head of some rows that look at the same keys. */
typedef struct {
    const float *q;      /* (rows, q_stride) */
    const float *keys;   /* (depth, padded), 0 past the length */
    const float *values; /* (length, depth) */
    float *out;          /* (rows, out_stride) */
    float *mean;         /* (rows, mean_stride) weights times `share` are added here; or NULL */
    float *weights;      /* scratch, (QUERIES, padded) */
    Py_ssize_t q_stride, out_stride, mean_stride, length, padded, depth;
    float share;
} Span;

static float scale_of(Py_ssize_t depth) { return 1.0f / sqrtf((float)depth); }

/* weights (rows, padded) = q · keys, two vectors of keys at a time. */
INLINE void span_scores(const Span *s, const float *q, const int rows) {
    const float factor = scale_of(s->depth);
    for (Py_ssize_t j = 0; j < s->padded; j += 2 * LANES) {
        const int pair = j + LANES < s->padded;
        v16 low[QUERIES], high[QUERIES];
        UNROLL for (int r = 0; r < rows; r++) low[r] = high[r] = (v16){0};
        for (Py_ssize_t d = 0; d < s->depth; d++) {
            const float *place = s->keys + d * s->padded + j;
            v16 k0 = LOAD(place), k1 = LOAD(pair ? place + LANES : place);
            UNROLL for (int r = 0; r < rows; r++) {
                float one = q[r * s->q_stride + d];
                low[r] += k0 * one;
                high[r] += k1 * one;
            }
        }
        UNROLL for (int r = 0; r < rows; r++) {
            STORE(s->weights + r * s->padded + j, low[r] * factor);
            if (pair) STORE(s->weights + r * s->padded + j + LANES, high[r] * factor);
        }
    }
}

INLINE void softmax_row(float *weights, Py_ssize_t length, Py_ssize_t padded, float *mean, float share) {
    for (Py_ssize_t j = length; j < padded; j++) weights[j] = NOTHING;
    float total = exp_sum(weights, weights, largest(weights, padded), padded);
    float inverse = total > 0.0f ? 1.0f / total : 0.0f;
    for (Py_ssize_t j = 0; j < padded; j += LANES) STORE(weights + j, LOAD(weights + j) * inverse);
    if (!mean) return;
    Py_ssize_t j = 0;
    for (; j + LANES <= length; j += LANES) STORE(mean + j, LOAD(mean + j) + LOAD(weights + j) * share);
    for (; j < length; j++) mean[j] += weights[j] * share;
}

/* out (rows, columns from d) = weights · values for `vectors` vectors of columns. */
INLINE void span_values(const Span *s, const float *values, float *out, const int rows, const int vectors) {
    v16 sums[QUERIES][4];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int c = 0; c < vectors; c++) sums[r][c] = (v16){0};
    for (Py_ssize_t j = 0; j < s->length; j++, values += s->depth) {
        v16 v[4];
        UNROLL for (int c = 0; c < vectors; c++) v[c] = LOAD(values + c * LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            float weight = s->weights[r * s->padded + j];
            UNROLL for (int c = 0; c < vectors; c++) sums[r][c] += v[c] * weight;
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int c = 0; c < vectors; c++) STORE(out + r * s->out_stride + c * LANES, sums[r][c]);
}

INLINE void span_rows(const Span *s, Py_ssize_t row, const int rows) {
    float *out = s->out + row * s->out_stride;
    span_scores(s, s->q + row * s->q_stride, rows);
    for (int r = 0; r < rows; r++)
        softmax_row(s->weights + r * s->padded, s->length, s->padded, s->mean ? s->mean + (row + r) * s->mean_stride : NULL,
                    s->share);
    Py_ssize_t d = 0;
    for (; d + 4 * LANES <= s->depth; d += 4 * LANES) span_values(s, s->values + d, out + d, rows, 4);
    for (; d + LANES <= s->depth; d += LANES) span_values(s, s->values + d, out + d, rows, 1);
    for (; d < s->depth; d++)
        for (int r = 0; r < rows; r++) {
            float sum = 0.0f;
            for (Py_ssize_t j = 0; j < s->length; j++) sum += s->values[j * s->depth + d] * s->weights[r * s->padded + j];
            out[r * s->out_stride + d] = sum;
        }
}

#if X86
#define SPAN_AVX512(ROWS) \
    AVX512 static void span_avx512_##ROWS(const Span *s, Py_ssize_t row) { span_rows(s, row, ROWS); }
SPAN_AVX512(1)
SPAN_AVX512(2)
SPAN_AVX512(3)
SPAN_AVX512(4)
SPAN_AVX512(5)
SPAN_AVX512(6)
static void (*const spans_avx512[QUERIES])(const Span *, Py_ssize_t) = {
    span_avx512_1, span_avx512_2, span_avx512_3, span_avx512_4, span_avx512_5, span_avx512_6};
AVX2 static void span_avx2(const Span *s, Py_ssize_t row) { span_rows(s, row, 1); }
#endif
static void span_plain(const Span *s, Py_ssize_t row) { span_rows(s, row, 1); }

/* All rows of one head. */
static void attend_span(const Span *s, Py_ssize_t rows) {
    Py_ssize_t tiles = (rows + QUERIES - 1) / QUERIES;
#if X86
    for (Py_ssize_t tile = 0; use_level >= VNNI && tile < tiles; tile++) {
        Py_ssize_t row = rows * tile / tiles, next = rows * (tile + 1) / tiles;
        spans_avx512[next - row - 1](s, row);
    }
    if (use_level >= VNNI) return;
    for (Py_ssize_t row = 0; use_level >= WITH_AVX2 && row < rows; row++) span_avx2(s, row);
    if (use_level >= WITH_AVX2) return;
#endif
    for (Py_ssize_t row = 0; row < rows; row++) span_plain(s, row);
}

/* Keys (length, stride) of one head turned round: (depth, padded) with 0 past the length. */
static void turn_plain(const float *keys, Py_ssize_t stride, Py_ssize_t length, Py_ssize_t depth, float *turned) {
    Py_ssize_t padded = PADDED(length);
    for (Py_ssize_t c = 0; c < depth; c++)
        for (Py_ssize_t j = 0; j < padded; j++) turned[c * padded + j] = j < length ? keys[j * stride + c] : 0.0f;
}

#if X86
/* The same for depths of whole vectors: sixteen keys by sixteen columns at a time. */
AVX512 static void turn_avx512(const float *keys, Py_ssize_t stride, Py_ssize_t length, Py_ssize_t depth, float *turned) {
    Py_ssize_t padded = PADDED(length);
    for (Py_ssize_t j = 0; j < padded; j += LANES)
        for (Py_ssize_t c = 0; c < depth; c += LANES) {
            __m512i row[LANES];
            _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++)
                row[i] = j + i < length ? _mm512_loadu_si512(keys + (j + i) * stride + c) : _mm512_setzero_si512();
            turn_square(row);
            _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++)
                _mm512_storeu_si512(turned + (c + i) * padded + j, row[i]);
        }
}
#endif

/* One head's keys turned round and then its values (length, depth); both begin at `stride` floats from row to row. */
static void pack_head(const float *keys, const float *values, Py_ssize_t stride, Py_ssize_t length, Py_ssize_t depth,
                      float *packed) {
    float *target = packed + depth * PADDED(length);
    for (Py_ssize_t j = 0; j < length; j++) memcpy(target + j * depth, values + j * stride, (size_t)depth * 4);
#if X86
    if (use_level >= VNNI && depth % LANES == 0) {
        turn_avx512(keys, stride, length, depth, packed);
        return;
    }
#endif
    turn_plain(keys, stride, length, depth, packed);
}

/* Floats of a packed head, the values' room rounded up as well. */
static Py_ssize_t packed_size(Py_ssize_t length, Py_ssize_t depth) { return 2 * depth * PADDED(length); }

/* Keys and values of the pieces that hypotheses have taken, `stride` floats from one to the next. */
typedef struct {
    const float *keys, *values;
    Py_ssize_t stride, heads, depth;
} Pool;

INLINE void dot_head(const float *q, const float *k, Py_ssize_t depth, float *out) {
    v16 sum = {0};
    Py_ssize_t d = 0;
    for (; d + LANES <= depth; d += LANES) sum += LOAD(q + d) * LOAD(k + d);
    float total = d ? add_up(&sum) : 0.0f;
    for (; d < depth; d++) total += q[d] * k[d];
    *out = total;
}

/* out (depth) = weights (length) · values at `index`. */
INLINE void mix_head(const float *values, Py_ssize_t stride, const int32_t *index, const float *weights,
                     Py_ssize_t length, Py_ssize_t depth, float *out) {
    Py_ssize_t d = 0;
    for (; d + 4 * LANES <= depth; d += 4 * LANES) {
        v16 sums[4] = {{0}, {0}, {0}, {0}};
        for (Py_ssize_t j = 0; j < length; j++)
            UNROLL for (int c = 0; c < 4; c++) sums[c] += LOAD(values + index[j] * stride + d + c * LANES) * weights[j];
        UNROLL for (int c = 0; c < 4; c++) STORE(out + d + c * LANES, sums[c]);
    }
    memset(out + d, 0, (size_t)(depth - d) * sizeof(float));
    for (Py_ssize_t j = 0; d < depth && j < length; j++)
        add_scaled(out + d, values + index[j] * stride + d, weights[j], depth - d);
}

/* One row over the pieces at `index`. weights: scratch, (padded). */
INLINE void attend_heads(const Pool *p, const float *q, const int32_t *index, Py_ssize_t length, float *weights,
                         float *out, float *mean, Py_ssize_t depth) {
    const float factor = scale_of(depth), share = 1.0f / (float)p->heads;
    for (Py_ssize_t h = 0; h < p->heads; h++) {
        for (Py_ssize_t j = 0; j < length; j++) {
            float score;
            dot_head(q + h * depth, p->keys + index[j] * p->stride + h * depth, depth, &score);
            weights[j] = score * factor;
        }
        softmax_row(weights, length, PADDED(length), mean, share);
        mix_head(p->values + h * depth, p->stride, index, weights, length, depth, out + h * depth);
    }
}

INLINE void attend_pool_body(const Pool *p, const float *q, const int32_t *index, Py_ssize_t length, float *weights,
                             float *out, float *mean) {
    if (p->depth == USUAL_DEPTH) attend_heads(p, q, index, length, weights, out, mean, USUAL_DEPTH);
    else attend_heads(p, q, index, length, weights, out, mean, p->depth);
}

THRICE(attend_pool, (const Pool *p, const float *q, const int32_t *index, Py_ssize_t length, float *weights, float *out,
                     float *mean),
       (p, q, index, length, weights, out, mean))

#endif
