// The kernels of methods with a network on each side whose means are the embeddings: PCME++, ProLIP and PFE, after step.cu
// in the same module. Shapes are those of step.cu; of two vectors behind each other the first is that of the texts.

// Gathers a batch of both sides, the texts for blockIdx.y 0 and the images for 1: raw rows times a factor, or rows of
// length 1. A block is a row.
extern "C" __global__ void gather_both(float* texts, float* images, const float* text_set, const float* image_set,
                                       const int* text_of, const int* image_of, const int* order, const Plan* plans,
                                       const Control* control, int columns, float of_texts, float of_images, int unit) {
    int pair = order[plans[control->step].from + blockIdx.x], side = blockIdx.y;
    const float* from = side ? image_set + (long long)image_of[pair] * columns : text_set + (long long)text_of[pair] * columns;
    float* to = (side ? images : texts) + (long long)blockIdx.x * columns;
    float factor = side ? of_images : of_texts;
    if (unit) {
        float square = 0;
        for (int k = threadIdx.x; k < columns; k += blockDim.x) square = fmaf(from[k], from[k], square);
        float length = sqrtf(sum_of_block(square));
        factor = 1 / (length < 1e-12f ? 1e-12f : length);
    }
    for (int k = threadIdx.x; k < columns; k += blockDim.x) to[k] = factor * from[k];
}

// exp(x) − 1 − x, which near 0 is x²/2.
static __device__ float exponential_less(float x) {
    if (fabsf(x) > 0.1f) return expm1f(x) - x;
    return 0.5f * x * x * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)));
}

// Variances σ² = exp(l) of the outputs l, their sums over rows, and, where terms are wanted, the sums of the information
// bottleneck's terms m² + exp(s) − 1 − s with s = share·l. A block is a row.
extern "C" __global__ void variances_of(float* variances, float* traces, float* terms, const float* outputs,
                                        const float* means, int columns, float share) {
    long long first = (long long)blockIdx.x * columns;
    float trace = 0, term = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float l = outputs[first + k], variance = expf(l);
        variances[first + k] = variance;
        trace += variance;
        if (terms) term += fmaf(means[first + k], means[first + k], exponential_less(share * l));
    }
    trace = sum_of_block(trace);
    if (terms) term = sum_of_block(term);
    if (threadIdx.x != 0) return;
    traces[blockIdx.x] = trace;
    if (terms) terms[blockIdx.x] = term;
}

// The logit of a pair is cosine·c + constant + traces·(S of the image + S of the text).
struct Logit {
    float cosine, constant, traces;
};

// That of PCME++ is −a (2 − 2c + S) + b with its numbers a and b, that of ProLIP, which has none, c − S/2.
static __device__ Logit logit_of(const float* numbers) {
    Logit ours = {1, 0, -0.5f};
    if (numbers) ours.cosine = 2 * numbers[0], ours.constant = numbers[1] - 2 * numbers[0], ours.traces = -numbers[0];
    return ours;
}

// The loss of every pair by itself, log(1+exp(±h)), plus on the diagonal turned to minus, with its gradient: nothing of it
// is written but the sums of the gradient over the rows and the columns of a tile, and the sums of the loss and of the
// gradient times the cosine over a tile. A block of 128 threads is a tile, a thread a column.
template <bool masked>
static __device__ void pair_losses(float* row_sums, float* column_sums, float* losses, float* dots, const float* cosines,
                                   const float* of_rows, const float* of_columns, const float* numbers, const int* groups,
                                   int batch, float weight) {
    __shared__ float tile[TILE_ROWS][TILE_COLUMNS];
    int first_row = blockIdx.y * TILE_ROWS, first = blockIdx.x * TILE_COLUMNS, column = first + threadIdx.x;
    int rows = min(TILE_ROWS, batch - first_row), columns = min(TILE_COLUMNS, batch - first);
    Logit f = logit_of(numbers);
    float loss = 0, dot = 0, sum = 0;
    if (column < batch) {
        float of_column = f.traces * of_columns[column];
        int group = masked ? groups[column] : 0;
        for (int i = 0; i < rows; i++) {
            int row = first_row + i;
            if (hidden<masked>(groups, row, column, group)) {
                tile[i][threadIdx.x] = 0;
                continue;
            }
            float c = cosines[(long long)row * batch + column];
            float h = fmaf(f.cosine, c, fmaf(f.traces, of_rows[row], f.constant)) + of_column;
            if (row == column) h = -h;
            float small = expf(-fabsf(h)), g = weight * (h < 0 ? small : 1.0f) / (1 + small);
            loss += (h > 0 ? h : 0.0f) + log1pf(small);  // NaN stays NaN
            if (row == column) g = -g;
            tile[i][threadIdx.x] = g;
            sum += g;
            dot = fmaf(g, c, dot);
        }
        column_sums[(long long)blockIdx.y * batch + column] = sum;
    }
    __syncthreads();
    int lane = threadIdx.x % WARP;
    for (int i = threadIdx.x / WARP; i < rows; i += TILE_COLUMNS / WARP) {
        sum = 0;
        for (int j = lane; j < columns; j += WARP) sum += tile[i][j];
        sum = sum_of_warp(sum);
        if (lane == 0) row_sums[(long long)blockIdx.x * batch + first_row + i] = sum;
    }
    loss = sum_of_block(loss);
    dot = sum_of_block(dot);
    if (threadIdx.x != 0) return;
    losses[blockIdx.y * gridDim.x + blockIdx.x] = loss;
    dots[blockIdx.y * gridDim.x + blockIdx.x] = dot;
}

extern "C" __global__ void sigmoid_pairs(float* row_sums, float* column_sums, float* losses, float* dots, const float* cosines,
                                         const float* of_rows, const float* of_columns, const float* numbers, int batch,
                                         float weight) {
    pair_losses<false>(row_sums, column_sums, losses, dots, cosines, of_rows, of_columns, numbers, nullptr, batch, weight);
}

// Ends the information bottleneck of a side, a block for each: what it adds to the loss, and the weight of its gradient.
// A bottleneck above 10⁴ counts as 0; one that is not finite makes the loss so.
extern "C" __global__ void __launch_bounds__(1024) bottleneck(float* added, float* weights, const float* terms, int rows, int columns, float weight) {
    double mean = sum_of_all(terms + (long long)blockIdx.x * rows, rows) / (2.0 * rows * columns);
    if (threadIdx.x != 0) return;
    if (mean > 1e4 && isfinite(mean)) weight = 0;
    weights[blockIdx.x] = weight;
    added[blockIdx.x] = weight == 0 ? 0.0f : (float)(weight * mean);
}

// The gradient with respect to the outputs of one side, in place of the variances: traces·sum·σ² plus, where there is a
// bottleneck, its weight times scale·(exp(share·l) − 1). The squares are those of a row. A block is a row.
extern "C" __global__ void variance_gradient(float* d, float* squares, const float* sums, const float* outputs,
                                             const float* weights, const float* numbers, int columns, float share,
                                             float scale) {
    long long first = (long long)blockIdx.x * columns;
    float factor = logit_of(numbers).traces * sums[blockIdx.x], weight = weights ? *weights * scale : 0, square = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float value = factor * d[first + k];
        if (weight != 0) value = fmaf(weight, expm1f(share * outputs[first + k]), value);
        d[first + k] = value;
        square = fmaf(value, value, square);
    }
    square = sum_of_block(square);
    if (threadIdx.x == 0) squares[blockIdx.x] = square;
}

// Adds up what the step saw and sets the gradients of the numbers. Added is two values, or nothing. One block.
extern "C" __global__ void __launch_bounds__(1024) report_pairs(Seen* seen, Control* control, float* d_numbers, const float* losses, const float* dots,
                                        const float* sums, const float* traces, const float* squares, const float* added,
                                        const float* numbers, int batch, int columns, int tiles, float weight) {
    double loss = weight * sum_of_all(losses, tiles), cosine = sum_of_all(dots, tiles), constant = sum_of_all(sums + batch, batch);
    double variance = sum_of_all(traces, batch) / ((double)batch * columns), square = sum_of_all(squares, 2 * batch);
    double both = sum_of_products(sums, traces, 2 * batch);
    if (threadIdx.x != 0) return;
    if (added) loss += (double)added[0] + added[1];
    if (numbers) {
        d_numbers[0] = (float)(2 * cosine - 2 * constant - both);
        d_numbers[1] = (float)constant;
    }
    Seen s = {(float)loss, numbers ? numbers[0] : 1.0f, (float)variance, 0, (float)square};
    see(seen, control, s);
}

static __device__ float softplus(float x) { return (x > 0 ? x : 0.0f) + log1pf(expf(-fabsf(x))); }

static __device__ float sigmoid(float x) {
    float small = expf(-fabsf(x));
    return (x < 0 ? small : 1.0f) / (1 + small);
}

// PFE's loss of rows that belong together, Σ apart²/s + log s with s = softplus(o₁) + softplus(o₂), and its gradients times
// a weight; also the sums of the texts' variances. A block is a row.
extern "C" __global__ void matched_variances(float* d_texts, float* d_images, float* losses, float* traces, float* squares,
                                             const float* texts, const float* images, const float* text_means,
                                             const float* image_means, int columns, float weight) {
    long long first = (long long)blockIdx.x * columns;
    float loss = 0, trace = 0, square = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        long long at = first + k;
        float one = texts[at], two = images[at], variance = softplus(one), s = variance + softplus(two);
        float apart = text_means[at] - image_means[at], far = apart * apart / s, slope = weight * (1 - far) / s;
        float of_text = slope * sigmoid(one), of_image = slope * sigmoid(two);
        loss += far + logf(s);
        trace += variance;
        square = fmaf(of_text, of_text, fmaf(of_image, of_image, square));
        d_texts[at] = of_text;
        d_images[at] = of_image;
    }
    loss = sum_of_block(loss);
    trace = sum_of_block(trace);
    square = sum_of_block(square);
    if (threadIdx.x != 0) return;
    losses[blockIdx.x] = loss;
    traces[blockIdx.x] = trace;
    squares[blockIdx.x] = square;
}

// Adds up what a step of PFE or ProbVLM saw: the losses and squares of all rows of all sides times a weight, the mean
// variance of the texts' coordinates, and, where there are some, the squares of the outputs. One block.
extern "C" __global__ void __launch_bounds__(1024) report_rows(Seen* seen, Control* control, const float* losses, const float* traces,
                                       const float* outputs, const float* squares, int batch, int columns, int sides,
                                       float weight) {
    double loss = weight * sum_of_all(losses, sides * batch), square = sum_of_all(squares, sides * batch);
    double variance = sum_of_all(traces, batch) / ((double)batch * columns), output = 0;
    if (outputs) output = sum_of_all(outputs, sides * batch);
    if (threadIdx.x != 0) return;
    Seen s = {(float)loss, 1, (float)variance, (float)output, (float)square};
    see(seen, control, s);
}
