// The kernels of SigLIP's loss of every pair by itself, −log sigmoid(±(τℓ + b)), after step.cu in the same module; ℓ and the
// matrices are those of InfoNCE there.

// The temperature of a training that keeps its logarithm. One thread.
extern "C" __global__ void temperature_of(float* temperature, const float* logarithm) { *temperature = expf(*logarithm); }

// The gradient g with respect to the logits in place of the products, as InfoNCE's leaves it: g itself, or g/(1+c) with the
// radial sums; the sums of g's columns over a tile, and the loss, Σ g·ℓ and Σ g of a tile. A block of 128 threads is a tile, a
// thread a column.
template <bool power, bool masked>
static __device__ void sigmoid_gradient(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                        float* totals, const float* kappas, const float* logs, const float* temperature,
                                        const float* bias, const int* groups, int batch) {
    int first_row = blockIdx.y * TILE_ROWS, column = blockIdx.x * TILE_COLUMNS + threadIdx.x;
    int last_row = min(first_row + TILE_ROWS, batch);
    float tau = *temperature, constant = *bias, weight = 1.0f / batch, loss = 0, dot = 0, sum = 0, radius = 0;
    if (column < batch) {
        float kappa = power ? kappas[column] : 0, log_of = logs[column];
        int group = masked ? groups[column] : 0;
        for (int row = first_row; row < last_row; row++) {
            long long at = (long long)row * batch + column;
            if (hidden<masked>(groups, row, column, group)) {
                pairs[at] = 0;
                continue;
            }
            float product = pairs[at], likelihood = likelihood_of<power>(product, kappa, log_of);
            float h = fmaf(tau, likelihood, constant);
            if (row == column) h = -h;
            float small = expf(-fabsf(h)), g = weight * (h < 0 ? small : 1.0f) / (1 + small);
            loss += (h > 0 ? h : 0.0f) + log1pf(small);  // NaN stays NaN
            if (row == column) g = -g;
            sum += g;
            dot = fmaf(g, likelihood, dot);
            if (power) {
                float cosine = raised(product);
                float inverse = cosine <= LOWEST_COSINE ? 0.0f : g / (1 + cosine);  // flat at the limit
                radius += g * log1pf(cosine) - inverse * cosine;
                g = inverse;
            }
            pairs[at] = g;
        }
        column_sums[(long long)blockIdx.y * batch + column] = sum;
        if (power) radial[(long long)blockIdx.y * batch + column] = radius;
    }
    loss = sum_of_block(loss);
    dot = sum_of_block(dot);
    sum = sum_of_block(sum);
    if (threadIdx.x != 0) return;
    int tile = blockIdx.y * gridDim.x + blockIdx.x;
    losses[tile] = loss;
    dots[tile] = dot;
    totals[tile] = sum;
}

extern "C" __global__ void sigmoid_linear(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                          float* totals, const float* kappas, const float* logs, const float* temperature,
                                          const float* bias, int batch) {
    sigmoid_gradient<false, false>(pairs, column_sums, radial, losses, dots, totals, kappas, logs, temperature, bias, nullptr, batch);
}

extern "C" __global__ void sigmoid_power(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                         float* totals, const float* kappas, const float* logs, const float* temperature,
                                         const float* bias, int batch) {
    sigmoid_gradient<true, false>(pairs, column_sums, radial, losses, dots, totals, kappas, logs, temperature, bias, nullptr, batch);
}

extern "C" __global__ void sigmoid_linear_masked(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                                 float* totals, const float* kappas, const float* logs,
                                                 const float* temperature, const float* bias, int batch, const int* groups) {
    sigmoid_gradient<false, true>(pairs, column_sums, radial, losses, dots, totals, kappas, logs, temperature, bias, groups, batch);
}

extern "C" __global__ void sigmoid_power_masked(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                                float* totals, const float* kappas, const float* logs,
                                                const float* temperature, const float* bias, int batch, const int* groups) {
    sigmoid_gradient<true, true>(pairs, column_sums, radial, losses, dots, totals, kappas, logs, temperature, bias, groups, batch);
}

// Adds up what the step saw and sets the gradients of the temperature, or of its logarithm, and of the bias behind it. One block.
extern "C" __global__ void __launch_bounds__(1024) report_sigmoid(Seen* seen, Control* control, float* d_numbers, const float* losses, const float* dots,
                                          const float* totals, const float* kappas, const float* squares,
                                          const float* temperature, int batch, int tiles, int logarithmic) {
    double loss = sum_of_all(losses, tiles) / batch, slope = sum_of_all(dots, tiles), total = sum_of_all(totals, tiles);
    double kappa = sum_of_all(kappas, batch) / batch, square = sum_of_all(squares, batch);
    if (threadIdx.x != 0) return;
    if (logarithmic) slope *= *temperature;
    Seen s = {(float)loss, *temperature, (float)kappa, (float)slope, (float)square};
    d_numbers[0] = s.slope;
    d_numbers[1] = (float)total;
    see(seen, control, s);
}
