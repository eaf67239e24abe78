/* Products of activations in one byte with int8 weights: the linear layers of a transformer. Included by kernels.c only.
 *
 * A row of activations is spread over 0 … 255 between its least and its largest value, with the byte that stands for
 * zero noted: x = (q - zero) · step. Sums are whole numbers, so they are exact and the same on every machine, alone
 * and in a batch. With AVX512-VNNI a tile of 6 rows by 64 outputs stays in registers; elsewhere the same whole
 * numbers go through the 16-bit tiles of kernels_int8.h.
 */
#ifndef HEDLINE_BYTES_H
#define HEDLINE_BYTES_H
#include "kernels_int8.h"

#define PANEL 64 /* outputs in a packed panel */

/* A linear layer. weights: on VNNI panels of 64 outputs, inside a panel 64 x 4 int8 for each four inputs; elsewhere
 * as pack_weights leaves them. sums: of each output's weights. The copies are this layer's own. */
typedef struct {
    Py_ssize_t m, k;
    int vnni;
    int8_t *weights;
    int32_t *sums;
    float *scale, *bias; /* bias: NULL for none */
    void *memory;
} Layer;

/* Activations of some rows as bytes (VNNI) or as 16-bit differences from the zero byte. */
typedef struct {
    uint8_t *bytes;
    int16_t *shorts;
    float *step;
    int32_t *zero;
    Py_ssize_t stride; /* items from one row to the next */
} Quantized;

typedef struct {
    const Layer *layer;
    Quantized in;
    const float *residual; /* (n, m) or NULL */
    float *out;            /* (n, m) */
    Py_ssize_t n;
    int relu;
} Product;

static Py_ssize_t round_up(Py_ssize_t value, Py_ssize_t unit) { return (value + unit - 1) / unit * unit; }

/* ---------------------------------------------------------------- packing */

/* One output's weights into its place. */
static void pack_row(const Layer *layer, const int8_t *w, Py_ssize_t row) {
    Py_ssize_t k = layer->k, unit = layer->vnni ? 4 : 2, outputs = layer->vnni ? PANEL : BLOCK;
    int8_t *target = layer->weights + row / outputs * outputs * round_up(k, unit) + row % outputs * unit;
    Py_ssize_t whole = k / unit;
    if (layer->vnni)
        for (Py_ssize_t i = 0; i < whole; i++) memcpy(target + i * 4 * PANEL, w + 4 * i, 4);
    else
        for (Py_ssize_t i = 0; i < whole; i++) memcpy(target + i * 2 * BLOCK, w + 2 * i, 2);
    memcpy(target + whole * unit * outputs, w + whole * unit, (size_t)(k % unit));
    int32_t sum = 0;
    for (Py_ssize_t i = 0; i < k; i++) sum += w[i];
    layer->sums[row] = sum;
}

#if X86
/* Sixteen outputs' weights, from output `first` on, a multiple of sixteen, into their places; k: whole vectors. */
AVX512 static void pack_sixteen(const Layer *layer, const int8_t *w, const int32_t *index, Py_ssize_t first) {
    Py_ssize_t k = layer->k;
    int8_t *target = layer->weights + first / PANEL * PANEL * k + first % PANEL * 4;
    __m512i sums = _mm512_setzero_si512();
    for (Py_ssize_t c = 0; c < k; c += 64) {
        __m512i row[16];
        _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++)
            row[i] = _mm512_loadu_si512(w + (index ? index[first + i] : first + i) * k + c);
        turn_square(row);
        _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) {
            _mm512_storeu_si512(target + (c / 4 + i) * 4 * PANEL, row[i]);
            sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi8(1), row[i]);
        }
    }
    _mm512_storeu_si512(layer->sums + first, sums);
}
#endif

/* Every output's weights into their places. */
static void pack_all(const Layer *layer, const int8_t *w, const int32_t *index) {
    Py_ssize_t row = 0;
#if X86
    for (; layer->vnni && layer->k % 64 == 0 && row + 16 <= layer->m; row += 16) pack_sixteen(layer, w, index, row);
#endif
    for (; row < layer->m; row++) pack_row(layer, w + (index ? index[row] : row) * layer->k, row);
}

/* Fill a layer with its own copies of rows of w (m, k): all of them, or those at index (m); 0 when memory is short.
 * m and k are small enough that no size overflows. */
static int layer_fill(Layer *layer, const int8_t *w, const float *scale, const float *bias, const int32_t *index,
                      Py_ssize_t m, Py_ssize_t k) {
    int vnni = use_level >= VNNI;
    Py_ssize_t wide = round_up(m ? m : 1, PANEL), size = wide * round_up(k, 4);
    char *memory = malloc((size_t)(size + wide * 12 + 64));
    if (!memory) return 0;
    int8_t *weights = (int8_t *)(((uintptr_t)memory + 63) / 64 * 64);
    int32_t *sums = (int32_t *)(weights + size);
    *layer = (Layer){m, k, vnni, weights, sums, (float *)(sums + wide), bias ? (float *)(sums + 2 * wide) : NULL, memory};
    if (k % 4) memset(weights, 0, (size_t)size);
    else if (m % PANEL) memset(weights + (wide - PANEL) * k, 0, (size_t)(PANEL * k));
    memset(sums, 0, (size_t)wide * 12);
    pack_all(layer, w, index);
    for (Py_ssize_t row = 0; row < m; row++) {
        Py_ssize_t from = index ? index[row] : row;
        layer->scale[row] = scale[from];
        if (bias) layer->bias[row] = bias[from];
    }
    return 1;
}

/* ----------------------------------------------------------- quantisation */

/* Where a row lies between 0 and 255: its inverse step, its step and the byte of zero; all 0 for a row of zeros or
 * one that is not finite. */
static inline float spread(float least, float largest, float *step, int32_t *zero) {
    float range = largest - least, inverse = range > 0.0f ? 255.0f / range : 0.0f;
    if (!isfinite(range) || !isfinite(inverse)) inverse = 0.0f;
    *step = inverse > 0.0f ? range / 255.0f : 0.0f;
    *zero = inverse > 0.0f ? (int32_t)lrintf(-least * inverse) : 0;
    return inverse;
}

static float limits_plain(const float *x, Py_ssize_t k, float *step, int32_t *zero) {
    float least = 0.0f, largest = 0.0f;
    for (Py_ssize_t i = 0; i < k; i++) {
        least = x[i] < least ? x[i] : least;
        largest = x[i] > largest ? x[i] : largest;
    }
    return spread(least, largest, step, zero);
}

static inline int32_t byte_of(float x, float inverse, int32_t zero) {
    int32_t value = inverse > 0.0f ? (int32_t)lrintf(x * inverse) + zero : 0;
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

static void quantize_short(const float *x, Py_ssize_t k, const Quantized *q, Py_ssize_t row) {
    float inverse = limits_plain(x, k, q->step + row, q->zero + row);
    int16_t *out = q->shorts + row * q->stride;
    for (Py_ssize_t i = 0; i < k; i++) out[i] = (int16_t)(byte_of(x[i], inverse, q->zero[row]) - q->zero[row]);
    for (Py_ssize_t i = k; i < q->stride; i++) out[i] = 0;
}

#if X86
AVX2 static void quantize_short_avx2(const float *x, Py_ssize_t k, const Quantized *q, Py_ssize_t row) {
    quantize_short(x, k, q, row);
}

AVX512 static void quantize_bytes(const float *x, Py_ssize_t k, const Quantized *q, Py_ssize_t row) {
    __m512 least = _mm512_setzero_ps(), largest = _mm512_setzero_ps();
    Py_ssize_t whole = k / 16 * 16;
    __mmask16 rest = (__mmask16)((1u << (k - whole)) - 1u);
    for (Py_ssize_t i = 0; i < whole; i += 16) {
        __m512 v = _mm512_loadu_ps(x + i);
        least = _mm512_min_ps(v, least);
        largest = _mm512_max_ps(v, largest);
    }
    __m512 tail = _mm512_maskz_loadu_ps(rest, x + whole);
    least = _mm512_min_ps(tail, least);
    largest = _mm512_max_ps(tail, largest);
    int32_t *zero = q->zero + row;
    float inverse = spread(_mm512_reduce_min_ps(least), _mm512_reduce_max_ps(largest), q->step + row, zero);
    uint8_t *out = q->bytes + row * q->stride;
    const __m512 factor = _mm512_set1_ps(inverse);
    const __m512i shift = _mm512_set1_epi32(*zero), none = _mm512_setzero_si512();
    for (Py_ssize_t i = 0; i < k; i += 16) {
        __m512 v = i < whole ? _mm512_loadu_ps(x + i) : tail;
        __m512i value = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(v, factor)), shift);
        value = inverse > 0.0f ? _mm512_max_epi32(value, none) : none;
        __m128i bytes = _mm512_cvtusepi32_epi8(value);
        if (i < whole) _mm_storeu_si128((__m128i *)(out + i), bytes);
        else _mm_mask_storeu_epi8(out + i, rest, bytes);
    }
    for (Py_ssize_t i = k; i < q->stride; i++) out[i] = 0; /* meets weights of 0, but must be memory we wrote */
}
#endif

static inline void quantize_any(const float *x, const Layer *layer, const Quantized *q, Py_ssize_t row) {
#if X86
    if (layer->vnni) quantize_bytes(x, layer->k, q, row);
    else if (use_level >= WITH_AVX2) quantize_short_avx2(x, layer->k, q, row);
    else
#endif
        quantize_short(x, layer->k, q, row);
}

/* Items from one quantised row to the next: a little more than a power of two, which would crowd the cache's sets. */
static Py_ssize_t quantized_stride(const Layer *layer) {
    return layer->vnni ? round_up(layer->k, 4) + 64 : round_up(layer->k, 2);
}

static Py_ssize_t quantized_size(const Layer *layer, Py_ssize_t n) {
    return n * (quantized_stride(layer) * 2 + 8) + 128;
}

static void quantized_place(Quantized *q, const Layer *layer, void *memory, Py_ssize_t n) {
    q->stride = quantized_stride(layer);
    q->step = memory;
    q->zero = (int32_t *)(q->step + n);
    q->bytes = (uint8_t *)(q->zero + n);
    q->shorts = (int16_t *)q->bytes;
}

/* --------------------------------------------------------------- products */

#if X86
AVX512 static inline void finish_panel(const Product *t, const __m512i *sums, Py_ssize_t row, Py_ssize_t column) {
    const Layer *layer = t->layer;
    const __m512 step = _mm512_set1_ps(t->in.step[row]);
    const __m512i zero = _mm512_set1_epi32(t->in.zero[row]);
    UNROLL for (int c = 0; c < 4; c++) {
        Py_ssize_t place = column + 16 * c, left = layer->m - place;
        if (left <= 0) break;
        __mmask16 mask = left >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << left) - 1u);
        __m512i all = _mm512_mullo_epi32(zero, _mm512_loadu_si512(layer->sums + place));
        __m512 value = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums[c], all));
        value = _mm512_mul_ps(value, _mm512_mul_ps(step, _mm512_loadu_ps(layer->scale + place)));
        ROUNDED(value);
        if (layer->bias) value = _mm512_add_ps(value, _mm512_loadu_ps(layer->bias + place));
        if (t->residual) value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(mask, t->residual + row * layer->m + place));
        if (t->relu) value = _mm512_max_ps(value, _mm512_setzero_ps());
        _mm512_mask_storeu_ps(t->out + row * layer->m + place, mask, value);
    }
}

#define PANEL_VNNI(ROWS)                                                                                       \
    AVX512 static void panel_##ROWS(const Product *t, Py_ssize_t row, Py_ssize_t panel) {                      \
        Py_ssize_t fours = (t->layer->k + 3) / 4, stride = t->in.stride / 4;                                   \
        const int8_t *w = t->layer->weights + panel * fours * 4 * PANEL;                                       \
        const int32_t *a = (const int32_t *)(t->in.bytes + row * t->in.stride);                                \
        __m512i sums[ROWS][4];                                                                                 \
        UNROLL for (int r = 0; r < ROWS; r++)                                                                  \
            UNROLL for (int c = 0; c < 4; c++) sums[r][c] = _mm512_setzero_si512();                            \
        for (Py_ssize_t p = 0; p < fours; p++, w += 4 * PANEL) {                                               \
            __m512i w0 = _mm512_loadu_si512(w), w1 = _mm512_loadu_si512(w + 64);                               \
            __m512i w2 = _mm512_loadu_si512(w + 128), w3 = _mm512_loadu_si512(w + 192);                        \
            _mm_prefetch((const char *)w + 4096, _MM_HINT_T0);                                                 \
            _mm_prefetch((const char *)w + 4160, _MM_HINT_T0);                                                 \
            _mm_prefetch((const char *)w + 4224, _MM_HINT_T0);                                                 \
            _mm_prefetch((const char *)w + 4288, _MM_HINT_T0);                                                 \
            UNROLL for (int r = 0; r < ROWS; r++) {                                                            \
                __m512i x = _mm512_set1_epi32(a[r * stride + p]);                                              \
                sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], x, w0);                                           \
                sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], x, w1);                                           \
                sums[r][2] = _mm512_dpbusd_epi32(sums[r][2], x, w2);                                           \
                sums[r][3] = _mm512_dpbusd_epi32(sums[r][3], x, w3);                                           \
            }                                                                                                  \
        }                                                                                                      \
        UNROLL for (int r = 0; r < ROWS; r++) finish_panel(t, sums[r], row + r, panel * PANEL);                \
    }
PANEL_VNNI(1)
PANEL_VNNI(2)
PANEL_VNNI(3)
PANEL_VNNI(4)
PANEL_VNNI(5)
PANEL_VNNI(6)

static void (*const panels_vnni[TILE])(const Product *, Py_ssize_t, Py_ssize_t) = {panel_1, panel_2, panel_3,
                                                                                  panel_4, panel_5, panel_6};

/* Rows first … last of a product in even tiles of at most six, for panels from … to. */
static void product_vnni(const Product *t, Py_ssize_t first, Py_ssize_t last, Py_ssize_t from, Py_ssize_t to) {
    for (Py_ssize_t chunk = first; chunk < last; chunk += ROW_CHUNK) {
        Py_ssize_t rows = last - chunk < ROW_CHUNK ? last - chunk : ROW_CHUNK, tiles = (rows + TILE - 1) / TILE;
        for (Py_ssize_t panel = from; panel < to; panel++)
            for (Py_ssize_t tile = 0; tile < tiles; tile++) {
                Py_ssize_t row = rows * tile / tiles, next = rows * (tile + 1) / tiles;
                panels_vnni[next - row - 1](t, chunk + row, panel);
            }
    }
}
#endif

/* Panels or blocks of outputs: what a product can be cut into. */
static Py_ssize_t product_parts(const Layer *layer) {
    return (layer->m + (layer->vnni ? PANEL : BLOCK) - 1) / (layer->vnni ? PANEL : BLOCK);
}

/* Rows first … last, outputs of the panels from … to. */
static void product_range(const Product *t, Py_ssize_t first, Py_ssize_t last, Py_ssize_t from, Py_ssize_t to) {
    const Layer *layer = t->layer;
#if X86
    if (layer->vnni) {
        product_vnni(t, first, last, from, to);
        return;
    }
#endif
    Linear wide = {.q = t->in.shorts + first * t->in.stride,
                   .row_scale = t->in.step + first,
                   .scale = layer->scale,
                   .bias = layer->bias,
                   .residual = t->residual ? t->residual + first * layer->m : NULL,
                   .packed = layer->weights,
                   .out = t->out + first * layer->m,
                   .n = last - first,
                   .m = layer->m,
                   .pairs = t->in.stride / 2,
                   .relu = t->relu};
    linear_blocks(&wide, from, to);
}

#endif
