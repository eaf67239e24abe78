/* Products with int8 weights. Included by kernels.c only.
 *
 * Weights have one float scale a row. Activations are quantised a row at a time to the largest int16 range for which
 * no 32-bit sum can overflow, so that practically nothing is lost beside the weights' own rounding.
 */
#ifndef HEDLINE_INT8_H
#define HEDLINE_INT8_H
#include "kernels_threads.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define X86 1
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma")))
#else
#define X86 0
#define AVX2
#define AVX512
#endif

#define BLOCK 16      /* outputs in a packed block */
#define TILE 6        /* activation rows in a register tile */
#define ROW_CHUNK 192 /* activation rows that stay in the second-level cache */

/* Keeps a product from being joined with the sum that follows it: every machine rounds in the same places. */
#define ROUNDED(V) __asm__("" : "+x"(V))

/* Without it the tiles' sums would live in memory instead of registers. */
#define UNROLL _Pragma("GCC unroll 8")

/* What the machine can do; tests lower it to compare. */
enum { PLAIN, WITH_AVX2, VNNI };
static int use_level = PLAIN;

static int level_here(void) {
#if X86
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return PLAIN;
    int vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vnni");
    return vnni ? VNNI : WITH_AVX2;
#else
    return PLAIN;
#endif
}

#if X86
/* Sixteen rows of sixteen items of four bytes turned round: row i has then what was item i of every row. */
AVX512 static inline __attribute__((always_inline)) void turn_square(__m512i *row) {
    __m512i half[16];
    _Pragma("GCC unroll 8") for (int i = 0; i < 16; i += 2) {
        half[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
        half[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < 16; i += 4) {
        row[i] = _mm512_unpacklo_epi64(half[i], half[i + 2]);
        row[i + 1] = _mm512_unpackhi_epi64(half[i], half[i + 2]);
        row[i + 2] = _mm512_unpacklo_epi64(half[i + 1], half[i + 3]);
        row[i + 3] = _mm512_unpackhi_epi64(half[i + 1], half[i + 3]);
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) {
        half[i] = _mm512_shuffle_i32x4(row[i], row[i + 4], 0x88);
        half[i + 4] = _mm512_shuffle_i32x4(row[i], row[i + 4], 0xDD);
        half[i + 8] = _mm512_shuffle_i32x4(row[i + 8], row[i + 12], 0x88);
        half[i + 12] = _mm512_shuffle_i32x4(row[i + 8], row[i + 12], 0xDD);
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) {
        row[i] = _mm512_shuffle_i32x4(half[i], half[i + 8], 0x88);
        row[i + 8] = _mm512_shuffle_i32x4(half[i], half[i + 8], 0xDD);
    }
}
#endif

/* ----------------------------------------------------------- quantisation */

static float quantize_row(const float *x, int16_t *q, Py_ssize_t k, Py_ssize_t padded) {
    double limit = 2147483647.0 / (127.0 * (double)(k ? k : 1));
    float level = limit > 32767.0 ? 32767.0f : (float)floor(limit);
    float top = 0.0f;
    for (Py_ssize_t i = 0; i < k; i++) {
        float size = fabsf(x[i]);
        top = size > top ? size : top;
    }
    float inverse = top > 0.0f ? level / top : 0.0f;
    if (!isfinite(inverse)) inverse = 0.0f;
    for (Py_ssize_t i = 0; i < k; i++) q[i] = (int16_t)(int32_t)lrintf(x[i] * inverse);
    for (Py_ssize_t i = k; i < padded; i++) q[i] = 0;
    return top / level;
}

#if X86
AVX2 static float quantize_row_avx2(const float *x, int16_t *q, Py_ssize_t k, Py_ssize_t padded) {
    double limit = 2147483647.0 / (127.0 * (double)(k ? k : 1));
    float level = limit > 32767.0 ? 32767.0f : (float)floor(limit);
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 tops = _mm256_setzero_ps();
    Py_ssize_t i = 0;
    for (; i + 8 <= k; i += 8) tops = _mm256_max_ps(tops, _mm256_andnot_ps(sign, _mm256_loadu_ps(x + i)));
    float lanes[8], top = 0.0f;
    _mm256_storeu_ps(lanes, tops);
    for (int lane = 0; lane < 8; lane++) top = lanes[lane] > top ? lanes[lane] : top;
    for (; i < k; i++) top = fabsf(x[i]) > top ? fabsf(x[i]) : top;
    float inverse = top > 0.0f ? level / top : 0.0f;
    if (!isfinite(inverse)) inverse = 0.0f;
    const __m256 factor = _mm256_set1_ps(inverse);
    for (i = 0; i + 16 <= k; i += 16) {
        __m256i low = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i), factor));
        __m256i high = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i + 8), factor));
        __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
        _mm256_storeu_si256((__m256i *)(q + i), both);
    }
    for (; i < k; i++) q[i] = (int16_t)(int32_t)lrintf(x[i] * inverse);
    for (; i < padded; i++) q[i] = 0;
    return top / level;
}
#endif

static void quantize_rows(const float *x, int16_t *q, float *scale, Py_ssize_t n, Py_ssize_t k, Py_ssize_t padded) {
    for (Py_ssize_t r = 0; r < n; r++) {
#if X86
        if (use_level >= WITH_AVX2) {
            scale[r] = quantize_row_avx2(x + r * k, q + r * padded, k, padded);
            continue;
        }
#endif
        scale[r] = quantize_row(x + r * k, q + r * padded, k, padded);
    }
}

/* ------------------------------------------- linear layer, packed weights */

/* Packed layout: blocks of 16 outputs; inside a block, for each pair of inputs, 16 x 2 consecutive int8. */
static void pack_weights(const int8_t *w, int8_t *packed, Py_ssize_t m, Py_ssize_t k) {
    Py_ssize_t pairs = (k + 1) / 2, blocks = (m + BLOCK - 1) / BLOCK;
    memset(packed, 0, (size_t)(blocks * pairs * 2 * BLOCK));
    for (Py_ssize_t row = 0; row < m; row++) {
        int8_t *target = packed + (row / BLOCK) * pairs * 2 * BLOCK + (row % BLOCK) * 2;
        const int8_t *source = w + row * k;
        for (Py_ssize_t i = 0; i < k; i++) target[(i / 2) * 2 * BLOCK + (i & 1)] = source[i];
    }
}

typedef struct {
    const int16_t *q;
    const float *row_scale, *scale, *bias, *residual;
    const int8_t *packed;
    float *out;
    Py_ssize_t n, m, pairs;
    int relu;
} Linear;

static void finish(const Linear *t, const int32_t *sums, Py_ssize_t row, Py_ssize_t column) {
    Py_ssize_t width = t->m - column < BLOCK ? t->m - column : BLOCK;
    float *out = t->out + row * t->m + column;
    for (Py_ssize_t c = 0; c < width; c++) {
        float value = (float)sums[c] * (t->row_scale[row] * t->scale[column + c]);
#if X86
        ROUNDED(value);
#endif
        if (t->bias) value += t->bias[column + c];
        if (t->residual) value += t->residual[row * t->m + column + c];
        out[c] = t->relu && value < 0.0f ? 0.0f : value;
    }
}

static void tile_plain(const Linear *t, Py_ssize_t row, int rows, Py_ssize_t block) {
    const int8_t *w = t->packed + block * t->pairs * 2 * BLOCK;
    for (int r = 0; r < rows; r++) {
        int32_t sums[BLOCK] = {0};
        const int16_t *a = t->q + (row + r) * t->pairs * 2;
        for (Py_ssize_t p = 0; p < t->pairs; p++)
            for (int c = 0; c < BLOCK; c++)
                sums[c] += a[2 * p] * w[p * 2 * BLOCK + 2 * c] + a[2 * p + 1] * w[p * 2 * BLOCK + 2 * c + 1];
        finish(t, sums, row + r, block * BLOCK);
    }
}

#if X86
AVX2 static inline void finish_avx2(const Linear *t, __m256i low, __m256i high, Py_ssize_t row, Py_ssize_t column) {
    if (t->m - column < BLOCK) {
        int32_t sums[BLOCK];
        _mm256_storeu_si256((__m256i *)sums, low);
        _mm256_storeu_si256((__m256i *)(sums + 8), high);
        finish(t, sums, row, column);
        return;
    }
    const __m256 row_scale = _mm256_set1_ps(t->row_scale[row]);
    for (int half = 0; half < 2; half++) {
        Py_ssize_t c = column + 8 * half;
        __m256 factor = _mm256_mul_ps(row_scale, _mm256_loadu_ps(t->scale + c));
        __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(half ? high : low), factor);
        ROUNDED(value);
        if (t->bias) value = _mm256_add_ps(value, _mm256_loadu_ps(t->bias + c));
        if (t->residual) value = _mm256_add_ps(value, _mm256_loadu_ps(t->residual + row * t->m + c));
        if (t->relu) value = _mm256_max_ps(value, _mm256_setzero_ps());
        _mm256_storeu_ps(t->out + row * t->m + c, value);
    }
}

#define TILE_AVX2(ROWS)                                                                                        \
    AVX2 static void tile_avx2_##ROWS(const Linear *t, Py_ssize_t row, Py_ssize_t block) {                     \
        const int8_t *w = t->packed + block * t->pairs * 2 * BLOCK;                                            \
        const int32_t *a = (const int32_t *)(t->q + row * t->pairs * 2);                                       \
        __m256i sums[ROWS][2];                                                                                 \
        UNROLL for (int r = 0; r < ROWS; r++) sums[r][0] = sums[r][1] = _mm256_setzero_si256();                \
        for (Py_ssize_t p = 0; p < t->pairs; p++, w += 2 * BLOCK) {                                            \
            __m256i w0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)w));                            \
            __m256i w1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(w + BLOCK)));                  \
            UNROLL for (int r = 0; r < ROWS; r++) {                                                                   \
                __m256i x = _mm256_set1_epi32(a[r * t->pairs + p]);                                            \
                sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(x, w0));                           \
                sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(x, w1));                           \
            }                                                                                                  \
        }                                                                                                      \
        UNROLL for (int r = 0; r < ROWS; r++) finish_avx2(t, sums[r][0], sums[r][1], row + r, block * BLOCK);         \
    }
TILE_AVX2(1)
TILE_AVX2(2)
TILE_AVX2(3)
TILE_AVX2(4)
TILE_AVX2(5)
TILE_AVX2(6)

static void (*const tiles_avx2[TILE])(const Linear *, Py_ssize_t, Py_ssize_t) = {
    tile_avx2_1, tile_avx2_2, tile_avx2_3, tile_avx2_4, tile_avx2_5, tile_avx2_6};
#endif

static void linear_blocks(const Linear *t, Py_ssize_t first, Py_ssize_t last) {
    for (Py_ssize_t chunk = 0; chunk < t->n; chunk += ROW_CHUNK) {
        Py_ssize_t end = chunk + ROW_CHUNK < t->n ? chunk + ROW_CHUNK : t->n;
        for (Py_ssize_t block = first; block < last; block++)
            for (Py_ssize_t row = chunk; row < end; row += TILE) {
                int rows = end - row < TILE ? (int)(end - row) : TILE;
#if X86
                if (use_level >= WITH_AVX2) {
                    tiles_avx2[rows - 1](t, row, block);
                    continue;
                }
#endif
                tile_plain(t, row, rows, block);
            }
    }
}

static void linear_part(void *task, int part, int parts) {
    const Linear *t = task;
    Py_ssize_t blocks = (t->m + BLOCK - 1) / BLOCK;
    linear_blocks(t, blocks * part / parts, blocks * (part + 1) / parts);
}

#endif
