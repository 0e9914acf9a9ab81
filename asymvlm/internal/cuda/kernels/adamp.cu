// The kernels of AdamP, after step.cu in the same module; nn.adamP has the algorithm and its source. A tensor is a matrix of
// weights, row by row; biases and numbers are tensors without rows.

// Moves the moments and leaves the step of AdamW before its size. Elsewhere nothing changes.
extern "C" __global__ void adamp_moments(float* steps, float* first, float* second, const float* g, const Plan* plans,
                                         const Control* control, int count) {
    if (control->broken) return;
    Plan plan = plans[control->step];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float m = fmaf(g[i] - first[i], 0.1f, first[i]), v = fmaf(second[i], 0.999f, g[i] * g[i] * 0.001f);
        first[i] = m;
        second[i] = v;
        steps[i] = m / (sqrtf(v) * plan.correction + 1e-8f);
    }
}

// The sums of one row of weights p, their gradient g and the step s.
struct Angle {
    float pg, pp, gg, ps;
};

// A block is a row.
extern "C" __global__ void adamp_angles(Angle* angles, const float* p, const float* g, const float* steps, int columns) {
    long long first = (long long)blockIdx.x * columns;
    Angle a = {0, 0, 0, 0};
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float x = p[first + k], y = g[first + k];
        a.pg = fmaf(x, y, a.pg), a.pp = fmaf(x, x, a.pp), a.gg = fmaf(y, y, a.gg), a.ps = fmaf(x, steps[first + k], a.ps);
    }
    a.pg = sum_of_block(a.pg);
    a.pp = sum_of_block(a.pp);
    a.gg = sum_of_block(a.gg);
    a.ps = sum_of_block(a.ps);
    if (threadIdx.x == 0) angles[blockIdx.x] = a;
}

// Whether a gradient is far from a right angle to its weights, of so many numbers.
static __device__ bool is_oblique(double pg, double pp, double gg, double numbers) {
    double p = sqrt(pp), g = sqrt(gg);
    return fabs(pg) >= 0.1 / sqrt(numbers) * (p < 1e-8 ? 1e-8 : p) * (g < 1e-8 ? 1e-8 : g);
}

// Which part of a step is taken from it: of every row the part along its weights, of the tensor as a whole that along all of
// them, or nothing.
enum { NOTHING, ROWS, WHOLE };

struct Projection {
    int kind;
    float along, length;  // of the whole
};

// Chooses for a tensor. One block.
extern "C" __global__ void __launch_bounds__(1024) adamp_choose(Projection* projection, const Angle* angles, int rows, int columns) {
    double oblique = 0, pg = 0, pp = 0, gg = 0, ps = 0;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        Angle a = angles[row];
        if (is_oblique(a.pg, a.pp, a.gg, columns)) oblique++;
        pg += a.pg, pp += a.pp, gg += a.gg, ps += a.ps;
    }
    oblique = sum_of_shares(oblique);
    pg = sum_of_shares(pg);
    pp = sum_of_shares(pp);
    gg = sum_of_shares(gg);
    ps = sum_of_shares(ps);
    if (threadIdx.x != 0) return;
    Projection p = {oblique == 0 ? ROWS : is_oblique(pg, pp, gg, (double)rows * columns) ? NOTHING : WHOLE, (float)ps, (float)sqrt(pp)};
    *projection = p;
}

// Takes the step, projected as was chosen, or as it is where there is no projection. Angles are of rows. Threads along x
// are columns; blocks along y take every gridDim.y-th row, since a grid has 65,535 along y at most.
extern "C" __global__ void adamp(float* p, const float* steps, const Angle* angles, const Projection* projection,
                                 const Plan* plans, const Control* control, int rows, int columns) {
    if (control->broken) return;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    Plan plan = plans[control->step];
    Projection whole = {NOTHING, 0, 0};
    if (projection) whole = *projection;
    float keep = whole.kind == NOTHING ? plan.keep : 1 - 0.1f * plan.rate * plan.decay;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        long long at = (long long)row * columns + column;
        float step = steps[at];
        if (whole.kind != NOTHING) {
            float along = whole.along, length = whole.length;
            if (whole.kind == ROWS) along = angles[row].ps, length = sqrtf(angles[row].pp);
            length += 1e-8f;
            step = fmaf(-p[at] / length, along / length, step);
        }
        p[at] = keep * p[at] - plan.size * step;
    }
}
