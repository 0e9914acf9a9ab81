// The kernels of ProbVLM, whose networks go around a detour into three heads, and of the cosines of ELIP's adapters, after step.cu and
// pairs.cu in the same module. Shapes are those of step.cu.

// Adds a bias and what went around the network to every row: y is rows×columns. Threads along x have a column each, blocks
// along y rows.
extern "C" __global__ void add_detour(float* y, const float* bias, const float* around, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float value = bias[column];
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        long long at = (long long)row * columns + column;
        y[at] = y[at] + value + around[at];
    }
}

// The constants of ProbVLM's program, see package gaussian.
#define POSITIVE 1e-4f
#define RESIDUAL_LOW 1e-4f
#define RESIDUAL_HIGH 1e3f
#define RESIDUAL_FLOOR 1e-6f
#define LIKELIHOOD_SHARE 0.05f
#define CROSS_WEIGHT 1e-4f

// log Γ(x) and ψ(x) for x > 0 in float32: Stirling's series from 8 on; below, the eight factors x…x+7 and the derivative of
// their product take it there (DLMF 5.5.1, 5.11.1, 5.11.2). The first omitted terms are below 3e-10.
struct Gamma {
    float logarithm, slope;
};

static __device__ Gamma gamma_of(float x) {
    float product = 1, derivative = 0;
    if (x < 8)
        for (int i = 0; i < 8; i++) {
            derivative = fmaf(derivative, x, product);
            product *= x;
            x += 1;
        }
    float inverse = 1 / x, square = inverse * inverse, log_of = logf(x);
    float series = fmaf(fmaf(1.f / 1260, square, -1.f / 360), square, 1.f / 12) * inverse;
    Gamma g = {fmaf(x - 0.5f, log_of, -x) + 0.918938533f + series - logf(product),
               log_of - 0.5f * inverse - fmaf(fmaf(1.f / 252, square, -1.f / 120), square, 1.f / 12) * square - derivative / product};
    return g;
}

// The residual of one target with its derivatives in |μ−y|, 1/α and β: clamp(|μ−y| q β), or (|μ−y| q)^β.
struct Residual {
    float value, d_apart, d_q, d_beta;
};

static __device__ Residual residual_of(float apart, float q, float beta, int exact) {
    if (exact) {
        float inside = 1;
        if (apart < RESIDUAL_FLOOR) apart = RESIDUAL_FLOOR, inside = 0;
        float log_of = logf(apart * q), value = expf(beta * log_of);
        Residual r = {value, inside * beta * value / apart, beta * value / q, value * log_of};
        return r;
    }
    float value = apart * q * beta;
    Residual r = {value, q * beta, apart * beta, apart * q};
    if (value < RESIDUAL_LOW || value > RESIDUAL_HIGH) {
        r.value = value < RESIDUAL_LOW ? RESIDUAL_LOW : RESIDUAL_HIGH;
        r.d_apart = r.d_q = r.d_beta = 0;
    }
    return r;
}

// The variance that the program predicts, a² Γ(3/b)/Γ(1/b) with limits on a and b. NaN stays NaN.
static __device__ float predicted_variance(float scale, float shape) {
    float a = 1 / (softplus(scale) + 1e-5f), b = softplus(shape) + 0.1f;
    a = a < 1e-4f ? 1e-4f : a > 5 ? 5.0f : a;
    b = b > 5 ? 5.0f : b;
    return a * a * expf(gamma_of(3 / b).logarithm - gamma_of(1 / b).logarithm);
}

// ProbVLM's loss of one side against its own embeddings and, counting little, those of the other, with its gradients in the
// three heads times a weight. Traces, where they are wanted, are the sums of predicted variances. A block is a row.
extern "C" __global__ void generalized(float* d_mean, float* d_scale, float* d_shape, float* losses, float* traces,
                                       float* outputs, float* squares, const float* means, const float* scales,
                                       const float* shapes, const float* own, const float* other, int columns, float weight,
                                       int exact) {
    long long first = (long long)blockIdx.x * columns;
    float loss = 0, trace = 0, output = 0, square = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        long long at = first + k;
        float mean = means[at], scale = scales[at], shape = shapes[at];
        float q = softplus(scale) + POSITIVE, beta = softplus(shape) + POSITIVE, log_q = logf(q);
        Gamma gamma = gamma_of(1 + 1 / beta);  // log Γ(1/β) − log β, and −ψ(1/β)/β² − 1/β = −slope/β²
        float of_mean = 0, of_q = 0, of_beta = 0, counts = 1, target = own[at];
        for (int side = 0; side < 2; side++) {
            float difference = mean - target, apart = fabsf(difference);
            Residual r = residual_of(apart, q, beta, exact);
            loss = fmaf(counts, apart + LIKELIHOOD_SHARE * (r.value - log_q + gamma.logarithm), loss);
            if (difference != 0) of_mean += counts * copysignf(1 + LIKELIHOOD_SHARE * r.d_apart, difference);
            of_q += counts * (r.d_q - 1 / q);
            of_beta += counts * (r.d_beta - gamma.slope / (beta * beta));
            counts = CROSS_WEIGHT, target = other[at];
        }
        of_mean *= weight;
        of_q *= weight * LIKELIHOOD_SHARE * sigmoid(scale);
        of_beta *= weight * LIKELIHOOD_SHARE * sigmoid(shape);
        d_mean[at] = of_mean;
        d_scale[at] = of_q;
        d_shape[at] = of_beta;
        if (traces) trace += predicted_variance(scale, shape);
        output = fmaf(mean, mean, fmaf(scale, scale, fmaf(shape, shape, output)));
        square = fmaf(of_mean, of_mean, fmaf(of_q, of_q, fmaf(of_beta, of_beta, square)));
    }
    loss = sum_of_block(loss);
    output = sum_of_block(output);
    square = sum_of_block(square);
    if (traces) trace = sum_of_block(trace);
    if (threadIdx.x != 0) return;
    losses[blockIdx.x] = loss;
    outputs[blockIdx.x] = output;
    squares[blockIdx.x] = square;
    if (traces) traces[blockIdx.x] = trace;
}

// Turns the gradient t with respect to directions into that with respect to the vectors, τ (t − (t·μ) μ)/|η|, times the
// factor on the outputs. The squares are those of a row before the factor. A block is a row.
extern "C" __global__ void across(float* d, float* squares, const float* mu, const float* lengths, const float* temperature,
                                  int columns, float factor) {
    long long first = (long long)blockIdx.x * columns;
    float along = 0, square = 0, length = lengths[blockIdx.x];
    for (int k = threadIdx.x; k < columns; k += blockDim.x) along = fmaf(d[first + k], mu[first + k], along);
    along = sum_of_block(along);
    float scale = *temperature / (length < 1e-12f ? 1e-12f : length);
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float value = scale * fmaf(-along, mu[first + k], d[first + k]);
        square = fmaf(value, value, square);
        d[first + k] = factor * value;
    }
    square = sum_of_block(square);
    if (threadIdx.x == 0) squares[blockIdx.x] = square;
}
