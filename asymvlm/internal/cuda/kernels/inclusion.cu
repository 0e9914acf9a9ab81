// The kernels of ProLIP with its own scale, bias and inclusion loss, after pairs.cu in the same module.

// One coordinate of H, how far the first of two Gaussians lies inside the second, with its derivatives in both log variances:
// gaussian.Inclusion's compare, which has the formulas. Of both orders the one is computed that cannot overflow.
struct Inclusion {
    float h, d_one, d_two;
};

static __device__ Inclusion inclusion_of(float apart, float one, float two, float epsilon, int official) {
    int turned = two > one;
    float high = turned ? two : one, r = turned ? one - two : two - one;
    float ratio = expf(r), a = 1 / (ratio + 2), b = 1 / (1 + 2 * ratio);
    float root = apart == 0 ? 0.0f : apart * expf((epsilon - high) / 2), square = root * root;
    float pull = square == 0 || r == 0 ? 0.0f : square * expm1f(r) * a * b;
    float weight = official ? 1.0f : 0.5f;
    float h = weight * r - log1pf(expm1f(r) * a) / 2 + pull;
    float d_high = -weight + a - b / 2 + square * (b * b - 2 * a * a), d_low = -d_high - pull;
    Inclusion straight = {h, d_high, d_low}, other = {-h, -d_low, -d_high};
    return turned ? other : straight;
}

// The sums over rows of −log sigmoid(sharpness·H), of images in texts. A block is a row.
extern "C" __global__ void inclusion(float* losses, const float* images, const float* texts, const float* image_logs,
                                     const float* text_logs, int columns, float epsilon, float sharpness, int official) {
    long long first = (long long)blockIdx.x * columns;
    float loss = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        long long at = first + k;
        float x = -sharpness * inclusion_of(images[at] - texts[at], image_logs[at], text_logs[at], epsilon, official).h;
        loss += (x > 0 ? x : 0.0f) + log1pf(expf(-fabsf(x)));
    }
    loss = sum_of_block(loss);
    if (threadIdx.x == 0) losses[blockIdx.x] = loss;
}

// Ends the inclusion loss: what it adds to the loss, and the weight of its gradient. A batch above 10⁵ counts as 0. One block.
extern "C" __global__ void __launch_bounds__(1024) include(float* added, float* counts, const float* losses, int rows, int columns, float weight) {
    double values = (double)rows * columns, loss = sum_of_all(losses, rows) / values;
    if (threadIdx.x != 0) return;
    if (!(loss <= 1e5)) loss = 0, weight = 0;  // also NaN
    *added = (float)(weight * loss);
    *counts = (float)(weight / values);
}

// Adds the gradient of the inclusion loss to those of both sides, the texts for blockIdx.y 0, and sets the squares of their rows
// anew. A block is a row.
extern "C" __global__ void inclusion_gradient(float* d_texts, float* d_images, float* squares, const float* counts,
                                              const float* images, const float* texts, const float* image_logs,
                                              const float* text_logs, int columns, float epsilon, float sharpness,
                                              int official) {
    int side = blockIdx.y;
    float* d = side ? d_images : d_texts;
    long long first = (long long)blockIdx.x * columns;
    float weight = *counts * sharpness, square = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        long long at = first + k;
        float value = d[at];
        if (weight != 0) {
            Inclusion i = inclusion_of(images[at] - texts[at], image_logs[at], text_logs[at], epsilon, official);
            float share = weight * sigmoid(-sharpness * i.h);
            if (share != 0) value = fmaf(-share, side ? i.d_one : i.d_two, value);  // a slope may be infinite
        }
        d[at] = value;
        square = fmaf(value, value, square);
    }
    square = sum_of_block(square);
    if (threadIdx.x == 0) squares[(long long)side * gridDim.x + blockIdx.x] = square;
}

// The numbers a and b of PCME++ for which its logit is a·c + b − a·S/2, from log a and b. One thread.
extern "C" __global__ void scaled_numbers(float* numbers, const float* trained) {
    float a = expf(trained[0]);
    numbers[0] = a / 2;
    numbers[1] = trained[1] + a;
}

// Adds up what the step saw and sets the gradients of log a and b. Added is three values: the bottlenecks and the inclusion. One
// block.
extern "C" __global__ void __launch_bounds__(1024) report_scaled(Seen* seen, Control* control, float* d_trained, const float* losses, const float* dots,
                                         const float* sums, const float* traces, const float* squares, const float* added,
                                         const float* trained, int batch, int columns, int tiles, float weight) {
    double loss = weight * sum_of_all(losses, tiles), cosine = sum_of_all(dots, tiles), constant = sum_of_all(sums + batch, batch);
    double variance = sum_of_all(traces, batch) / ((double)batch * columns), square = sum_of_all(squares, 2 * batch);
    double both = sum_of_products(sums, traces, 2 * batch);
    if (threadIdx.x != 0) return;
    float a = expf(trained[0]);
    d_trained[0] = (float)(a * (cosine - both / 2));
    d_trained[1] = (float)constant;
    loss += (double)added[0] + added[1] + added[2];
    Seen s = {(float)loss, a, (float)variance, 0, (float)square};
    see(seen, control, s);
}
