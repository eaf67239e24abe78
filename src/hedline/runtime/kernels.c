/* Optional compiled kernels: the Python bindings. hedline works without them (kernels.py has the numpy forms).
 *
 * Every function takes contiguous buffers, checks their lengths against the sizes it is given, and releases the
 * interpreter's lock while it works. AVX2 code is chosen at run time; elsewhere plain C does the same arithmetic.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels_float.h"
#include "kernels_int8.h"
#include "kernels_threads.h"

#define MOST 64 /* buffers one call may hold */

/* Buffers of one call, released together. */
typedef struct {
    Py_buffer views[MOST];
    int count;
} Buffers;

static void release(Buffers *buffers) {
    while (buffers->count) PyBuffer_Release(&buffers->views[--buffers->count]);
}

/* The memory of a contiguous buffer of at least `items` items; NULL with an error set, or for None when allowed. */
static void *take(Buffers *buffers, PyObject *object, Py_ssize_t items, Py_ssize_t size, int writable, int optional) {
    if (optional && object == Py_None) return NULL;
    Py_buffer *view = &buffers->views[buffers->count];
    int flags = PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, view, flags) != 0) return NULL;
    buffers->count++;
    if (view->itemsize != size || items < 0 || view->len / size < items) {
        PyErr_Format(PyExc_ValueError, "kernel buffer has %zd items of %zd bytes, needs %zd of %zd",
                     view->len / view->itemsize, view->itemsize, items, size);
        return NULL;
    }
    return view->buf;
}

#define FAILED (PyErr_Occurred() != NULL)

static PyObject *finish_call(Buffers *buffers) {
    release(buffers);
    if (FAILED) return NULL;
    Py_RETURN_NONE;
}

/* pack(weights int8 (m, k), packed int8 out, m, k) */
static PyObject *py_pack(PyObject *self, PyObject *args) {
    PyObject *source, *target;
    Py_ssize_t m, k;
    Buffers buffers = {.count = 0};
    if (!PyArg_ParseTuple(args, "OOnn", &source, &target, &m, &k)) return NULL;
    const int8_t *w = take(&buffers, source, m * k, 1, 0, 0);
    Py_ssize_t needed = (m + BLOCK - 1) / BLOCK * BLOCK * ((k + 1) / 2 * 2);
    int8_t *packed = FAILED ? NULL : take(&buffers, target, needed, 1, 1, 0);
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
    const float *x = take(&buffers, x_, n * k, 4, 0, 0);
    if (!FAILED) t.packed = take(&buffers, packed_, (m + BLOCK - 1) / BLOCK * BLOCK * t.pairs * 2, 1, 0, 0);
    if (!FAILED) t.scale = take(&buffers, scale_, m, 4, 0, 0);
    if (!FAILED) t.bias = take(&buffers, bias_, m, 4, 0, 1);
    if (!FAILED) t.residual = take(&buffers, residual_, n * m, 4, 0, 1);
    if (!FAILED) t.out = take(&buffers, out_, n * m, 4, 1, 0);
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
    Chosen t = {.n = n, .k = k, .padded = (k + 15) / 16 * 16, .count = count, .stride = stride};
    const float *x = take(&buffers, x_, n * k, 4, 0, 0);
    if (!FAILED) t.w = take(&buffers, w_, rows * k, 1, 0, 0);
    if (!FAILED) t.scale = take(&buffers, scale_, rows, 4, 0, 0);
    if (!FAILED) t.bias = take(&buffers, bias_, rows, 4, 0, 1);
    if (!FAILED) t.index = take(&buffers, index_, count, 4, 0, 1);
    if (!FAILED) t.out = take(&buffers, out_, n ? (n - 1) * stride + count : 0, 4, 1, 0);
    for (Py_ssize_t j = 0; !FAILED && t.index && j < count; j++)
        if (t.index[j] < 0 || t.index[j] >= rows) PyErr_SetString(PyExc_IndexError, "candidate outside the table");
    if (!FAILED && !t.index && count > rows) PyErr_SetString(PyExc_IndexError, "more candidates than rows");
    int16_t *q = FAILED ? NULL : malloc((size_t)(n * t.padded * 2 + n * 4 + 64));
    if (q) {
        Py_BEGIN_ALLOW_THREADS
        float *row_scale = (float *)(q + n * t.padded);
        quantize_rows(x, q, row_scale, n, k, t.padded);
        t.q = q;
        t.row_scale = row_scale;
        run_parallel(chosen_part, &t, (double)n * (double)count * (double)k, MAX_THREADS);
        free(q);
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
    float *logits = take(&buffers, logits_, rows ? (rows - 1) * stride + count : 0, 4, 1, 0);
    const float *mixture = NULL, *extra = NULL;
    if (!FAILED) mixture = take(&buffers, mixture_, rows ? (rows - 1) * mixture_stride + terms : 0, 4, 0, 0);
    if (!FAILED) extra = take(&buffers, extra_, terms * count, 4, 0, 0);
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
    float *x = take(&buffers, x_, rows * n, 4, 1, 0);
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
    const float *x = take(&buffers, x_, rows * n, 4, 0, 0), *w = NULL, *b = NULL;
    float *out = NULL;
    if (!FAILED) w = take(&buffers, w_, n, 4, 0, 0);
    if (!FAILED) b = take(&buffers, b_, n, 4, 0, 0);
    if (!FAILED) out = take(&buffers, out_, rows * n, 4, 1, 0);
    if (!FAILED) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t r = 0; r < rows; r++) layer_norm(x + r * n, w, b, out + r * n, n);
        Py_END_ALLOW_THREADS
    }
    return finish_call(&buffers);
}

typedef struct {
    const Attend *attend;
    Py_ssize_t room; /* floats of scratch for each part */
    Py_ssize_t padded;
    float *scratch;
} AttendTask;

static void attend_part(void *task, int part, int parts) {
    const AttendTask *t = task;
    const Attend *a = t->attend;
    Py_ssize_t width = a->heads * a->depth, last = a->rows * (part + 1) / parts;
    Gathered g = {.weights = t->scratch + part * t->room};
    g.keys = g.weights + t->padded;
    g.values = g.keys + t->padded * width;
    for (Py_ssize_t row = a->rows * part / parts, before = -1; row < last; before = row++) {
        int same = before >= 0 && !a->index && a->start[row] == a->start[before] && a->length[row] == a->length[before];
        if (!same) gather(a, row, &g);
        attend(a, row, &g);
    }
}

/* Every key a row may look at must lie inside the table of `keys` rows. */
static int attend_inside(const Attend *t, Py_ssize_t keys, Py_ssize_t *longest) {
    for (Py_ssize_t row = 0; row < t->rows; row++) {
        Py_ssize_t length = t->length[row];
        if (length < 0 || (t->mean && length > t->mean_stride)) return 0;
        if (length > *longest) *longest = length;
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
                          &t.k_stride, &keys, &index_, &t.index_stride, &start_, &length_, &out_, &mean_,
                          &t.mean_stride, &t.rows, &t.heads, &t.depth))
        return NULL;
    t.v_stride = t.k_stride;
    Py_ssize_t width = t.heads * t.depth, longest = 1;
    const float *q = take(&buffers, q_, t.rows * t.q_stride, 4, 0, 0), *kv = NULL;
    if (!FAILED) kv = take(&buffers, kv_, keys * t.k_stride, 4, 0, 0);
    if (!FAILED) t.index = take(&buffers, index_, t.rows * t.index_stride, 4, 0, 1);
    if (!FAILED) t.start = take(&buffers, start_, t.rows, 8, 0, t.index != NULL);
    if (!FAILED) t.length = take(&buffers, length_, t.rows, 8, 0, 0);
    if (!FAILED) t.out = take(&buffers, out_, t.rows * width, 4, 1, 0);
    if (!FAILED) t.mean = take(&buffers, mean_, t.rows * t.mean_stride, 4, 1, 1);
    if (!FAILED && (q_offset < 0 || q_offset + width > t.q_stride || k_offset < 0 || k_offset + width > t.k_stride ||
                    v_offset < 0 || v_offset + width > t.v_stride || !attend_inside(&t, keys, &longest)))
        PyErr_SetString(PyExc_IndexError, "attention outside its table");
    AttendTask task = {&t, PADDED(longest) * (1 + 2 * width), PADDED(longest), NULL};
    int parts = pool.threads; /* may change before the job runs */
    if (!FAILED) task.scratch = malloc((size_t)(task.room * parts) * sizeof(float));
    if (task.scratch) {
        Py_BEGIN_ALLOW_THREADS
        t.q = q + q_offset;
        t.k = kv + k_offset;
        t.v = kv + v_offset;
        run_parallel(attend_part, &task, (double)t.rows * (double)longest * (double)width * 2.0, parts);
        free(task.scratch);
        Py_END_ALLOW_THREADS
    } else if (!FAILED)
        PyErr_NoMemory();
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

static PyObject *py_set_avx2(PyObject *self, PyObject *args) {
    int wanted;
    if (!PyArg_ParseTuple(args, "p", &wanted)) return NULL;
    use_avx2 = wanted && avx2_here();
    return PyBool_FromLong(use_avx2);
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
    {"set_avx2", py_set_avx2, METH_VARARGS, "Use AVX2 if the machine has it (tests turn it off)."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels", "Compiled int8 kernels of hedline.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernels(void) {
    use_avx2 = avx2_here();
    pthread_atfork(NULL, NULL, after_fork);
    return PyModule_Create(&module);
}
