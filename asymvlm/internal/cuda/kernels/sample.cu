// The kernels that draw random numbers, after the other files in the same module: unit vectors of the laws of package sphere, and
// means of softmax over draws of uncertain logits. device/philox.go and device/cosines.go have the same on the processor.
//
// A number depends on a seed and its coordinates alone, see device.Samples. Normal numbers have the processor's bits: every
// product is rounded before it is added to something. What decides on rejections is in double precision, so that a card
// rejects what the processor does.

struct Words {
    unsigned a, b, c, d;
};

// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011).
static __device__ Words philox(Words c, unsigned key0, unsigned key1) {
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xD2511F53u, c.a), high1 = __umulhi(0xCD9E8D57u, c.c);
        c = {high1 ^ c.b ^ key0, 0xCD9E8D57u * c.c, high0 ^ c.d ^ key1, 0xD2511F53u * c.a};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

// What numbers are for, the last word of a counter.
enum { FOR_LOGITS, FOR_DIRECTIONS, FOR_COSINES };

// A number above 0 and at most 1: (word + ½)/2³², rounded.
static __device__ float number(unsigned word) {
    return __fadd_rn(__fmul_rn((float)word, 2.3283064365386963e-10f), 1.1641532182693481e-10f);
}

static __device__ float plus_product(float a, float b, float c) { return __fadd_rn(__fmul_rn(a, b), c); }

// log u for u in (0, 1], see log32OfNumber.
static __device__ float log_of_number(float u) {
    int bits = __float_as_int(u), exponent = (bits - 0x3f3504f3) >> 23;
    float m = __int_as_float(bits - exponent * (1 << 23));
    float s = __fadd_rn(m, -1.f) / __fadd_rn(m, 1.f), z = __fmul_rn(s, s);
    float p = plus_product(z, 1.f / 9, 1.f / 7);
    p = plus_product(z, p, 1.f / 5);
    p = plus_product(z, p, 1.f / 3);
    p = __fmul_rn(z, p);
    s = __fadd_rn(s, s);
    return plus_product((float)exponent, 0.693147182f, plus_product(s, p, s));
}

// Two independent standard normal numbers (Box and Muller 1958) of two words, see normals32.
static __device__ void normals_of(unsigned first, unsigned second, float* one, float* other) {
    float radius = sqrtf(__fmul_rn(-2.f, log_of_number(number(first))));
    float turns = __fmul_rn(4.f, number(second));
    int quarter = (int)__fadd_rn(turns, 0.5f);
    float x = __fmul_rn(__fadd_rn(turns, -(float)quarter), 1.57079637f), z = __fmul_rn(x, x);
    float p = plus_product(z, 1.f / 362880, -1.f / 5040);
    p = plus_product(z, p, 1.f / 120);
    p = plus_product(z, p, -1.f / 6);
    float sine = plus_product(x, __fmul_rn(z, p), x);
    p = plus_product(z, 1.f / 40320, -1.f / 720);
    p = plus_product(z, p, 1.f / 24);
    p = plus_product(z, p, -1.f / 2);
    float cosine = plus_product(z, p, 1.f);
    float across = quarter & 1 ? cosine : sine, along = quarter & 1 ? -sine : cosine;
    if (quarter & 2) across = -across, along = -along;
    *one = __fmul_rn(radius, along);
    *other = __fmul_rn(radius, across);
}

struct Four {
    float value[4];
};

// The normal numbers of four columns of a row.
static __device__ Four four_normals(int group, int draw, int row, int purpose, unsigned key0, unsigned key1) {
    Words w = philox({(unsigned)group, (unsigned)draw, (unsigned)row, (unsigned)purpose}, key0, key1);
    Four n;
    normals_of(w.a, w.b, &n.value[0], &n.value[1]);
    normals_of(w.c, w.d, &n.value[2], &n.value[3]);
    return n;
}

// The largest value of a block of up to 1024 threads, whole warps of them, for every thread.
static __device__ float most_of_block(float value) {
    __shared__ float tops[WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    value = most_of_warp(value);
    __syncthreads();  // the tops may still be read from the call before
    if (lane == 0) tops[warp] = value;
    __syncthreads();
    return most_of_warp(lane < warps ? tops[lane] : -INFINITE);
}

// Sets every row of dst to the mean over draws of the softmax of scale·(mean + deviation·N). A block is a row; a thread has groups
// of four columns, whose logits nobody else reads.
extern "C" __global__ void mean_softmax(float* dst, float* logits, const float* means, const float* deviations, float scale,
                                        int columns, int draws, unsigned key0, unsigned key1, int first_row, int first_draw) {
    long long first = (long long)blockIdx.x * columns;
    int groups = (columns + 3) / 4;
    for (int draw = 0; draw < draws; draw++) {
        float top = -INFINITE, sum = 0;
        for (int group = threadIdx.x; group < groups; group += blockDim.x) {
            Four n = four_normals(group, first_draw + draw, first_row + blockIdx.x, FOR_LOGITS, key0, key1);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                int column = 4 * group + k;
                if (column >= columns) break;
                float logit = __fmul_rn(scale, plus_product(deviations[first + column], n.value[k], means[first + column]));
                logits[first + column] = logit;
                top = fmaxf(top, logit);
            }
        }
        top = most_of_block(top);
        for (int group = threadIdx.x; group < groups; group += blockDim.x)
            for (int column = 4 * group; column < min(4 * group + 4, columns); column++) {
                float e = expf(logits[first + column] - top);
                logits[first + column] = e;
                sum += e;
            }
        float share = 1 / sum_of_block(sum);
        for (int group = threadIdx.x; group < groups; group += blockDim.x)
            for (int column = 4 * group; column < min(4 * group + 4, columns); column++) {
                float before = draw == 0 ? 0.f : dst[first + column], value = fmaf(share, logits[first + column], before);
                dst[first + column] = draw == draws - 1 ? value / draws : value;
            }
    }
}

// The counters of one draw's cosine, taken one after another.
struct Sequence {
    unsigned next, draw, row, key0, key1;
};

static __device__ Words words_of(Sequence* s) { return philox({s->next++, s->draw, s->row, FOR_COSINES}, s->key0, s->key1); }

// A draw of Γ(a), a ≥ ½ (Marsaglia and Tsang 2000).
static __device__ double gamma_draw(Sequence* s, double a) {
    double d = (a < 1 ? a + 1 : a) - 1. / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        Words w = words_of(s);
        float normal, unused;
        normals_of(w.a, w.b, &normal, &unused);
        double x = normal, v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log((double)number(w.c)) >= x * x / 2 + d * (1 - v + log(v))) continue;
        return a < 1 ? d * v * exp(log((double)number(w.d)) / a) : d * v;
    }
}

// Draws, for every row, the component of a unit vector along its mean direction and the length of the rest: by the Beta law of the
// power spherical density, or by the rejection method of Ulrich (1984) and Wood (1994), see package sphere. A thread is a row.
extern "C" __global__ void draw_cosines(float* cosines, const float* kappas, int rows, int draws, int columns, int power, unsigned key0,
                                        unsigned key1, int first_row, int first_draw) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    Sequence s = {0, (unsigned)(first_draw + r % draws), (unsigned)(first_row + r / draws), key0, key1};
    double kappa = kappas[r / draws], m = columns - 1, along, across;
    double b = m / (2 * kappa + sqrt(4 * kappa * kappa + m * m)), gap = 2 * b / (1 + b);
    for (;;) {
        double x = gamma_draw(&s, power ? m / 2 + kappa : m / 2), y = gamma_draw(&s, m / 2);
        double z = x / (x + y), rest = y / (x + y);
        if (power) {
            along = z - rest;
            across = 2 * sqrt(z * rest);
            break;
        }
        double denominator = rest + b * z, below = 2 * b * z / denominator, ratio = (gap + (1 - gap) * below) / (gap * (2 - gap));
        along = 1 - below;
        across = 2 * sqrt(b * z * rest) / denominator;
        if (kappa * (gap - below) + m * log(ratio) >= log((double)number(words_of(&s).a))) break;
    }
    cosines[2 * r] = (float)along;
    cosines[2 * r + 1] = (float)across;
}

// Makes unit vectors of cosines: the first axis takes the place of the mean direction, and is reflected to it. A block is a row;
// a thread has groups of four columns.
extern "C" __global__ void draw_around(float* dst, const float* means, const float* cosines, int draws, int columns, unsigned key0,
                                       unsigned key1, int first_row, int first_draw) {
    int mean_of = blockIdx.x / draws, groups = (columns + 3) / 4;
    const float* mean = means + (long long)mean_of * columns;
    float* y = dst + (long long)blockIdx.x * columns;
    float square = 0, length = 0;
    for (int group = threadIdx.x; group < groups; group += blockDim.x) {
        Four n = four_normals(group, first_draw + blockIdx.x % draws, first_row + mean_of, FOR_DIRECTIONS, key0, key1);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int column = 4 * group + k;
            if (column >= columns) break;
            length = fmaf(mean[column], mean[column], length);
            if (column > 0) square = fmaf(n.value[k], n.value[k], square);
            y[column] = n.value[k];
        }
    }
    square = sum_of_block(square);
    length = sqrtf(sum_of_block(length));
    float along = cosines[2 * blockIdx.x], across = cosines[2 * blockIdx.x + 1], product = 0;
    bool nowhere = square == 0;  // all numbers of the rest are 0
    float scale = nowhere ? across : across / sqrtf(square), sign = mean[0] > 0 ? -1.f : 1.f;
    for (int group = threadIdx.x; group < groups; group += blockDim.x)
        for (int column = 4 * group; column < min(4 * group + 4, columns); column++) {
            float value = column == 0 ? along : scale * (nowhere && column == 1 ? 1.f : y[column]);
            y[column] = value;
            product = fmaf(value, mean[column], product);
        }
    product = along - sign * sum_of_block(product) / length;
    float factor = product / (1 - sign * mean[0] / length);
    for (int group = threadIdx.x; group < groups; group += blockDim.x)
        for (int column = 4 * group; column < min(4 * group + 4, columns); column++) {
            float value = column == 0 ? y[column] - factor : y[column];
            y[column] = fmaf(sign, value, factor * (mean[column] / length));
        }
}
