/* Products of rows of floats with chosen rows of an int8 table (a shortlist). Included by kernels.c only.
 *
 * Activations are those of kernels_int8.h; sums are whole numbers, so they are the same at every level.
 */
#ifndef HEDLINE_CHOSEN_H
#define HEDLINE_CHOSEN_H
#include "kernels_int8.h"

typedef struct {
    const int16_t *q;
    const float *row_scale, *scale, *bias;
    const int8_t *w;
    const int32_t *index; /* NULL: all rows in order */
    float *out;
    Py_ssize_t n, k, padded, count, stride;
} Chosen;

static inline const int8_t *chosen_row(const Chosen *t, Py_ssize_t j) {
    return t->w + (t->index ? t->index[j] : j) * t->k;
}

static inline void chosen_put(const Chosen *t, Py_ssize_t row, Py_ssize_t j, int32_t sum) {
    Py_ssize_t id = t->index ? t->index[j] : j;
    t->out[row * t->stride + j] = (float)sum * (t->row_scale[row] * t->scale[id]) + (t->bias ? t->bias[id] : 0.0f);
}

static void chosen_plain(const Chosen *t, Py_ssize_t first, Py_ssize_t last) {
    for (Py_ssize_t j = first; j < last; j++) {
        const int8_t *w = chosen_row(t, j);
        for (Py_ssize_t r = 0; r < t->n; r++) {
            const int16_t *a = t->q + r * t->padded;
            int32_t sum = 0;
            for (Py_ssize_t i = 0; i < t->k; i++) sum += a[i] * w[i];
            chosen_put(t, r, j, sum);
        }
    }
}

#if X86
AVX2 static inline int32_t add_lanes(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}

#define CHOSEN_AVX2(ROWS)                                                                                      \
    AVX2 static void chosen_avx2_##ROWS(const Chosen *t, Py_ssize_t row, Py_ssize_t j) {                       \
        const int8_t *w0 = chosen_row(t, j), *w1 = chosen_row(t, j + 1);                                       \
        const int16_t *a = t->q + row * t->padded;                                                             \
        __m256i sums[ROWS][2];                                                                                 \
        UNROLL for (int r = 0; r < ROWS; r++) sums[r][0] = sums[r][1] = _mm256_setzero_si256();                \
        Py_ssize_t whole = t->k & ~(Py_ssize_t)15;                                                             \
        for (Py_ssize_t i = 0; i < t->k; i += 16) {                                                            \
            __m256i v0, v1;                                                                                    \
            if (i < whole) {                                                                                   \
                v0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(w0 + i)));                         \
                v1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(w1 + i)));                         \
            } else { /* the tail must not read past the table */                                               \
                int8_t tail[32] = {0};                                                                         \
                memcpy(tail, w0 + i, (size_t)(t->k - i));                                                      \
                memcpy(tail + 16, w1 + i, (size_t)(t->k - i));                                                 \
                v0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)tail));                             \
                v1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(tail + 16)));                      \
            }                                                                                                  \
            UNROLL for (int r = 0; r < ROWS; r++) {                                                                   \
                __m256i x = _mm256_loadu_si256((const __m256i *)(a + r * t->padded + i));                      \
                sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(x, v0));                           \
                sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(x, v1));                           \
            }                                                                                                  \
        }                                                                                                      \
        UNROLL for (int r = 0; r < ROWS; r++) {                                                                       \
            chosen_put(t, row + r, j, add_lanes(sums[r][0]));                                                  \
            chosen_put(t, row + r, j + 1, add_lanes(sums[r][1]));                                              \
        }                                                                                                      \
    }
CHOSEN_AVX2(1)
CHOSEN_AVX2(2)
CHOSEN_AVX2(3)
CHOSEN_AVX2(4)
CHOSEN_AVX2(5)

static void (*const chosen_avx2[5])(const Chosen *, Py_ssize_t, Py_ssize_t) = {
    chosen_avx2_1, chosen_avx2_2, chosen_avx2_3, chosen_avx2_4, chosen_avx2_5};

/* Four outputs of a row from the lanes of their sums. A call of its own: inlined, the sums leave their registers. */
AVX512 __attribute__((noinline)) static void finish_four(const Chosen *t, const __m512i *v, Py_ssize_t row,
                                                         Py_ssize_t j) {
    __m512i low = _mm512_add_epi32(_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[0], v[1]));
    __m512i high = _mm512_add_epi32(_mm512_unpacklo_epi32(v[2], v[3]), _mm512_unpackhi_epi32(v[2], v[3]));
    __m512i all = _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
    __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    float scale[4], bias[4] = {0};
    for (int c = 0; c < 4; c++) {
        Py_ssize_t id = t->index ? t->index[j + c] : j + c;
        scale[c] = t->scale[id];
        if (t->bias) bias[c] = t->bias[id];
    }
    __m128 factor = _mm_mul_ps(_mm_set1_ps(t->row_scale[row]), _mm_loadu_ps(scale));
    __m128 value = _mm_fmadd_ps(_mm_cvtepi32_ps(sums), factor, _mm_loadu_ps(bias));
    _mm_storeu_ps(t->out + row * t->stride + j, value);
}

#define CHOSEN_VNNI(ROWS)                                                                                      \
    AVX512 static void chosen_vnni_##ROWS(const Chosen *t, Py_ssize_t row, Py_ssize_t j) {                     \
        const int8_t *w[4] = {chosen_row(t, j), chosen_row(t, j + 1), chosen_row(t, j + 2), chosen_row(t, j + 3)}; \
        const int16_t *a = t->q + row * t->padded;                                                             \
        __m512i sums[ROWS][4], v[4];                                                                           \
        UNROLL for (int r = 0; r < ROWS; r++)                                                                  \
            UNROLL for (int c = 0; c < 4; c++) sums[r][c] = _mm512_setzero_si512();                            \
        for (Py_ssize_t i = 0; i < t->padded; i += 32) {                                                       \
            /* the last load must not read past the table */                                                   \
            __mmask32 inside = t->k - i < 32 ? (__mmask32)((1u << (t->k - i)) - 1u) : ~(__mmask32)0;           \
            UNROLL for (int c = 0; c < 4; c++)                                                                 \
                v[c] = _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(inside, w[c] + i));                        \
            UNROLL for (int r = 0; r < ROWS; r++) {                                                            \
                __m512i x = _mm512_loadu_si512(a + r * t->padded + i);                                         \
                UNROLL for (int c = 0; c < 4; c++) sums[r][c] = _mm512_dpwssd_epi32(sums[r][c], x, v[c]);      \
            }                                                                                                  \
        }                                                                                                      \
        UNROLL for (int r = 0; r < ROWS; r++) {                                                                \
            __m512i done[4] = {sums[r][0], sums[r][1], sums[r][2], sums[r][3]};                                \
            finish_four(t, done, row + r, j);                                                                  \
        }                                                                                                      \
    }
CHOSEN_VNNI(1)
CHOSEN_VNNI(2)
CHOSEN_VNNI(3)
CHOSEN_VNNI(4)
CHOSEN_VNNI(5)
CHOSEN_VNNI(6)

static void (*const chosen_vnni[TILE])(const Chosen *, Py_ssize_t, Py_ssize_t) = {
    chosen_vnni_1, chosen_vnni_2, chosen_vnni_3, chosen_vnni_4, chosen_vnni_5, chosen_vnni_6};
#endif

static void chosen_part(void *task, int part, int parts) {
    const Chosen *t = task;
    Py_ssize_t first = t->count * part / parts, last = t->count * (part + 1) / parts;
#if X86
    Py_ssize_t tiles = (t->n + TILE - 1) / TILE; /* even ones */
    for (; use_level >= VNNI && first + 4 <= last; first += 4)
        for (Py_ssize_t tile = 0; tile < tiles; tile++) {
            Py_ssize_t row = t->n * tile / tiles;
            chosen_vnni[t->n * (tile + 1) / tiles - row - 1](t, row, first);
        }
    if (use_level >= WITH_AVX2) {
        for (; first + 2 <= last; first += 2) {
            if (first + 6 <= last) {
                _mm_prefetch((const char *)chosen_row(t, first + 4), _MM_HINT_T0);
                _mm_prefetch((const char *)chosen_row(t, first + 5), _MM_HINT_T0);
            }
            for (Py_ssize_t row = 0; row < t->n; row += 5)
                chosen_avx2[(t->n - row < 5 ? t->n - row : 5) - 1](t, row, first);
        }
    }
#endif
    chosen_plain(t, first, last);
}

#endif
