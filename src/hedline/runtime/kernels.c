/* Optional compiled kernels: the Python bindings. hedline works without them (kernels.py has the numpy forms).
 *
 * Every function takes contiguous buffers, checks their lengths against the sizes it is given, and releases the
 * interpreter's lock while it works. AVX512-VNNI or AVX2 code is chosen at run time; elsewhere plain C does the same
 * arithmetic.
 */
#include "kernels_buffers.h"
#include "kernels_chosen.h"
#include "kernels_objects.h"
#include "kernels_search.h"
#include "kernels_step.h"

/* pack(weights int8 (m, k), packed int8 out, m, k) */
static PyObject *py_pack(PyObject *self, PyObject *args) {
    PyObject *source, *target;
    Py_ssize_t m, k;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOnn", &source, &target, &m, &k)) return NULL;
    const int8_t *w = take(&buffers, source, area(m, k), 1, 0, 0);
    int8_t *packed = FAILED ? NULL : take(&buffers, target, area(round_up(m, BLOCK), round_up(k, 2)), 1, 1, 0);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        pack_weights(w, packed, m, k);
        Py_END_ALLOW_THREADS
    }
    return finish_call(&buffers);
}

/* linear(x f32 (n, k), packed, scale (m), bias (m)|None, residual (n, m)|None, out (n, m), n, m, k, relu) */
static PyObject *py_linear(PyObject *self, PyObject *args) {
    PyObject *x_, *packed_, *scale_, *bias_, *residual_, *out_;
    Py_ssize_t n, m, k;
    int relu;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOOOnnnp", &x_, &packed_, &scale_, &bias_, &residual_, &out_, &n, &m, &k, &relu))
        return NULL;
    Linear t = {.n = n, .m = m, .pairs = (k + 1) / 2, .relu = relu};
    const float *x = take(&buffers, x_, area(n, k), 4, 0, 0);
    if (!FAILED) t.packed = take(&buffers, packed_, area(round_up(m, BLOCK), t.pairs * 2), 1, 0, 0);
    t.scale = take(&buffers, scale_, m, 4, 0, 0);
    t.bias = take(&buffers, bias_, m, 4, 0, 1);
    t.residual = take(&buffers, residual_, area(n, m), 4, 0, 1);
    t.out = take(&buffers, out_, area(n, m), 4, 1, 0);
    int16_t *q = FAILED ? NULL : malloc((size_t)(n * t.pairs * 4 + n * 4 + 64));
    if (q) {
        Py_BEGIN_ALLOW_THREADS
        float *row_scale = (float *)(q + n * t.pairs * 2);
        quantize_rows(x, q, row_scale, n, k, t.pairs * 2);
        t.q = q;
        t.row_scale = row_scale;
        run_parallel(linear_part, &t, (double)n * (double)m * (double)k, MAX_THREADS);
        free(q);
        Py_END_ALLOW_THREADS
    } else if (!FAILED)
        PyErr_NoMemory();
    return finish_call(&buffers);
}

/* chosen(x f32 (n, k), w int8 (rows, k), scale (rows), bias (rows)|None, index int32 (count)|None,
 *        out f32 (n, stride), n, k, rows, count, stride) */
static PyObject *py_chosen(PyObject *self, PyObject *args) {
    PyObject *x_, *w_, *scale_, *bias_, *index_, *out_;
    Py_ssize_t n, k, rows, count, stride;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOOOnnnnn", &x_, &w_, &scale_, &bias_, &index_, &out_, &n, &k, &rows, &count,
                          &stride))
        return NULL;
    Chosen t = {.n = n, .k = k, .padded = round_up(k, 32), .count = count, .stride = stride};
    const float *x = take(&buffers, x_, area(n, k), 4, 0, 0);
    t.w = take(&buffers, w_, area(rows, k), 1, 0, 0);
    t.scale = take(&buffers, scale_, rows, 4, 0, 0);
    t.bias = take(&buffers, bias_, rows, 4, 0, 1);
    t.index = take(&buffers, index_, count, 4, 0, 1);
    t.out = take(&buffers, out_, area(n, stride) + count - stride, 4, 1, 0);
    if (!FAILED && n > 1 && count > stride) PyErr_SetString(PyExc_ValueError, "rows of logits overlap");
    for (Py_ssize_t j = 0; !FAILED && t.index && j < count; j++)
        if (t.index[j] < 0 || t.index[j] >= rows) PyErr_SetString(PyExc_IndexError, "candidate outside the table");
    if (!FAILED && !t.index && count > rows) PyErr_SetString(PyExc_IndexError, "more candidates than rows");
    int16_t *q = FAILED ? NULL : borrow(OF_CALL, n * t.padded * 2 + n * 4 + 64);
    if (q) {
        Py_BEGIN_ALLOW_THREADS
        float *row_scale = (float *)(q + n * t.padded);
        quantize_rows(x, q, row_scale, n, k, t.padded);
        t.q = q;
        t.row_scale = row_scale;
        run_parallel(chosen_part, &t, (double)n * (double)count * (double)k, MAX_THREADS);
        give_back(OF_CALL);
        Py_END_ALLOW_THREADS
    } else if (!FAILED)
        PyErr_NoMemory();
    return finish_call(&buffers);
}

/* mix(logits f32 (rows, stride), mixture f32 (rows, mixture_stride), extra f32 (terms, count), rows, stride,
 *     mixture_stride, terms, count): logits += mixture · extra */
static PyObject *py_mix(PyObject *self, PyObject *args) {
    PyObject *logits_, *mixture_, *extra_;
    Py_ssize_t rows, stride, mixture_stride, terms, count;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOnnnnn", &logits_, &mixture_, &extra_, &rows, &stride, &mixture_stride, &terms,
                          &count))
        return NULL;
    float *logits = take(&buffers, logits_, area(rows, stride) + count - stride, 4, 1, 0);
    const float *mixture = take(&buffers, mixture_, area(rows, mixture_stride) + terms - mixture_stride, 4, 0, 0);
    const float *extra = take(&buffers, extra_, area(terms, count), 4, 0, 0);
    if (!FAILED && rows > 1 && (count > stride || terms > mixture_stride))
        PyErr_SetString(PyExc_ValueError, "mixture rows overlap");
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        mix(logits, stride, mixture, mixture_stride, extra, rows, terms, count);
        Py_END_ALLOW_THREADS
    }
    return finish_call(&buffers);
}

/* log_softmax(x f32 (rows, n), rows, n), in place */
static PyObject *py_log_softmax(PyObject *self, PyObject *args) {
    PyObject *x_;
    Py_ssize_t rows, n;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "Onn", &x_, &rows, &n)) return NULL;
    float *x = take(&buffers, x_, area(rows, n), 4, 1, 0);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t r = 0; r < rows; r++) log_softmax(x + r * n, n);
        Py_END_ALLOW_THREADS
    }
    return finish_call(&buffers);
}

/* layer_norm(x f32 (rows, n), weight (n), bias (n), out (rows, n), rows, n) */
static PyObject *py_layer_norm(PyObject *self, PyObject *args) {
    PyObject *x_, *w_, *b_, *out_;
    Py_ssize_t rows, n;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOOOnn", &x_, &w_, &b_, &out_, &rows, &n)) return NULL;
    const float *x = take(&buffers, x_, area(rows, n), 4, 0, 0);
    const float *w = take(&buffers, w_, n, 4, 0, 0), *b = take(&buffers, b_, n, 4, 0, 0);
    float *out = take(&buffers, out_, area(rows, n), 4, 1, 0);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t r = 0; r < rows; r++) layer_norm(x + r * n, w, b, out + r * n, n);
        Py_END_ALLOW_THREADS
    }
    return finish_call(&buffers);
}

/* What attend() was asked: each row over its own keys, neighbours from `start` or those at `index`. */
typedef struct {
    const float *q, *k, *v; /* first row; a row of each is `*_stride` floats after the one before */
    const int32_t *index;   /* (rows, index_stride) */
    const int64_t *start, *length;
    float *out, *mean; /* out (rows, heads * depth); mean (rows, mean_stride) or NULL */
    Py_ssize_t q_stride, kv_stride, rows, index_stride, heads, depth, mean_stride, longest;
    int failed;
} Attend;

/* Rows row … next that look at the same neighbours. */
static void attend_same(const Attend *t, Py_ssize_t row, Py_ssize_t next, float *scratch) {
    Py_ssize_t width = t->heads * t->depth, length = t->length[row], place = t->start[row] * t->kv_stride;
    Span span = {.keys = scratch, .values = scratch + t->depth * PADDED(length),
                 .mean = t->mean ? t->mean + row * t->mean_stride : NULL,
                 .weights = scratch + packed_size(length, t->depth), .q_stride = t->q_stride, .out_stride = width,
                 .mean_stride = t->mean_stride, .length = length, .padded = PADDED(length), .depth = t->depth,
                 .share = 1.0f / (float)t->heads};
    for (Py_ssize_t h = 0; h < t->heads; h++) {
        Py_ssize_t column = h * t->depth;
        pack_head(t->k + place + column, t->v + place + column, t->kv_stride, length, t->depth, scratch);
        span.q = t->q + row * t->q_stride + column;
        span.out = t->out + row * width + column;
        attend_span(&span, next - row);
    }
}

static void attend_part(void *task, int part, int parts) {
    Attend *t = task;
    Py_ssize_t width = t->heads * t->depth, last = t->rows * (part + 1) / parts;
    float *scratch = borrow(OF_PART, (packed_size(t->longest, t->depth) + PADDED(t->longest) * QUERIES) * 4);
    if (!scratch) {
        t->failed = 1;
        return;
    }
    Pool pool = {t->k, t->v, t->kv_stride, t->heads, t->depth};
    for (Py_ssize_t row = t->rows * part / parts, next; row < last; row = next) {
        next = row + 1;
        if (t->index) {
            attend_pool(&pool, t->q + row * t->q_stride, t->index + row * t->index_stride, t->length[row], scratch,
                        t->out + row * width, t->mean ? t->mean + row * t->mean_stride : NULL);
            continue;
        }
        while (next < last && t->start[next] == t->start[row] && t->length[next] == t->length[row]) next++;
        attend_same(t, row, next, scratch);
    }
    give_back(OF_PART);
}

/* Every key a row may look at must lie inside the table of `keys` rows. */
static int attend_inside(Attend *t, Py_ssize_t keys) {
    for (Py_ssize_t row = 0; row < t->rows; row++) {
        Py_ssize_t length = (Py_ssize_t)t->length[row];
        if (length < 1 || (!t->index && length > keys) || (t->mean && length > t->mean_stride)) return 0;
        t->longest = larger(t->longest, length);
        if (!t->index && (t->start[row] < 0 || t->start[row] > keys - length)) return 0;
        if (t->index && length > t->index_stride) return 0;
        for (Py_ssize_t j = 0; t->index && j < length; j++) {
            int32_t place = t->index[row * t->index_stride + j];
            if (place < 0 || place >= keys) return 0;
        }
    }
    return 1;
}

/* attend(q f32 (rows, q_stride), q_offset, q_stride, kv f32 (keys, kv_stride), k_offset, v_offset, kv_stride, keys,
 *        index int32 (rows, index_stride)|None, index_stride, start int64 (rows)|None, length int64 (rows),
 *        out (rows, heads * depth), mean (rows, mean_stride)|None, mean_stride, rows, heads, depth) */
static PyObject *py_attend(PyObject *self, PyObject *args) {
    PyObject *q_, *kv_, *index_, *start_, *length_, *out_, *mean_;
    Py_ssize_t q_offset, k_offset, v_offset, keys;
    Attend t = {0};
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OnnOnnnnOnOOOOnnnn", &q_, &q_offset, &t.q_stride, &kv_, &k_offset, &v_offset,
                          &t.kv_stride, &keys, &index_, &t.index_stride, &start_, &length_, &out_, &mean_,
                          &t.mean_stride, &t.rows, &t.heads, &t.depth))
        return NULL;
    Py_ssize_t width = area(t.heads, t.depth);
    const float *q = take(&buffers, q_, area(t.rows, t.q_stride), 4, 0, 0);
    const float *kv = take(&buffers, kv_, area(keys, t.kv_stride), 4, 0, 0);
    if (index_ != Py_None) t.index = take(&buffers, index_, area(t.rows, t.index_stride), 4, 0, 0);
    else t.start = take(&buffers, start_, t.rows, 8, 0, 0);
    t.length = take(&buffers, length_, t.rows, 8, 0, 0);
    t.out = take(&buffers, out_, area(t.rows, width), 4, 1, 0);
    if (mean_ != Py_None) t.mean = take(&buffers, mean_, area(t.rows, t.mean_stride), 4, 1, 0);
    if (!FAILED && (q_offset < 0 || q_offset > t.q_stride - width || k_offset < 0 || k_offset > t.kv_stride - width ||
                    v_offset < 0 || v_offset > t.kv_stride - width || !attend_inside(&t, keys)))
        PyErr_SetString(PyExc_IndexError, "attention outside its table");
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        t.q = q + q_offset;
        t.k = kv + k_offset;
        t.v = kv + v_offset;
        run_parallel(attend_part, &t, (double)t.rows * (double)t.longest * (double)width * 2.0, MAX_THREADS);
        Py_END_ALLOW_THREADS
        if (t.failed) PyErr_NoMemory();
    }
    return finish_call(&buffers);
}

static PyObject *py_set_threads(PyObject *self, PyObject *args) {
    int threads;
    if (!PyArg_ParseTuple(args, "i", &threads)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    set_threads(threads);
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(pool.threads);
}

static PyObject *py_set_level(PyObject *self, PyObject *args) {
    int wanted;
    if (!PyArg_ParseTuple(args, "i", &wanted)) return NULL;
    use_level = wanted < PLAIN ? PLAIN : wanted < level_here() ? wanted : level_here();
    return PyLong_FromLong(use_level);
}

static PyMethodDef methods[] = {
    {"pack", py_pack, METH_VARARGS, "Reorder int8 weights for linear()."},
    {"linear", py_linear, METH_VARARGS, "A linear layer with packed int8 weights."},
    {"chosen", py_chosen, METH_VARARGS, "Products with chosen rows of an int8 table."},
    {"mix", py_mix, METH_VARARGS, "Add a mixture of vectors to logits."},
    {"log_softmax", py_log_softmax, METH_VARARGS, "Log-softmax of each row, in place."},
    {"layer_norm", py_layer_norm, METH_VARARGS, "Layer normalisation of each row."},
    {"attend", py_attend, METH_VARARGS, "Multi-head attention of each row over its keys."},
    {"set_threads", py_set_threads, METH_VARARGS, "How many threads a kernel may use; returns what it got."},
    {"embed", py_embed, METH_VARARGS, "Rows of an int8 table plus positions."},
    {"layer", py_layer, METH_VARARGS, "A linear layer with int8 weights, for activations in one byte."},
    {"apply", py_apply, METH_VARARGS, "A layer's product with rows of floats."},
    {"block", py_block, METH_VARARGS, "A transformer layer of an encoder or a decoder."},
    {"encode", py_encode, METH_VARARGS, "Inputs laid end to end through an encoder's block."},
    {"remember", py_remember, METH_VARARGS, "Keys and values of every input packed for decode()."},
    {"decode", py_decode, METH_VARARGS, "One more piece of every hypothesis through a decoder's block."},
    {"step", py_step, METH_VARARGS, "One more piece of every hypothesis through a whole decoder."},
    {"candidates", py_candidates, METH_VARARGS, "The output rows each input of a batch may need."},
    {"score", py_score, METH_VARARGS, "Log-probabilities of every row's candidates."},
    {"worth", py_worth, METH_VARARGS, "What every extension of every hypothesis is worth."},
    {"best", py_best, METH_VARARGS, "The best extensions of each input."},
    {"follow", py_follow, METH_VARARGS, "What is known of hypotheses after one more piece."},
    {"set_level", py_set_level, METH_VARARGS, "0 plain, 1 AVX2, 2 AVX512-VNNI, at most; returns what is used."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels", "Compiled int8 kernels of hedline.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernels(void) {
    use_level = level_here();
    arena_ready = pthread_key_create(&arena_key, arena_free) == 0;
    pthread_atfork(NULL, NULL, after_fork);
    return PyModule_Create(&module);
}
