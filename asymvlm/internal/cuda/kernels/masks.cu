// The kernels of losses that leave pairs of one group out, the captions of one image: those of step.cu and pairs.cu with groups,
// after both in the same module. Kernels of their own, so that whoever masks nothing pays nothing.

// Gathers the groups of a batch.
extern "C" __global__ void gather_groups(int* groups, const int* group_of, const int* order, const Plan* plans,
                                         const Control* control, int batch) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < batch) groups[row] = group_of[order[plans[control->step].from + row]];
}

extern "C" __global__ void sums_linear_masked(float* row_most, float* row_sums, float* column_most, float* column_sums,
                                              const float* pairs, const float* kappas, const float* logs,
                                              const float* temperature, int batch, const int* groups) {
    sums<false, true>(row_most, row_sums, column_most, column_sums, pairs, kappas, logs, temperature, groups, batch);
}

extern "C" __global__ void sums_power_masked(float* row_most, float* row_sums, float* column_most, float* column_sums,
                                             const float* pairs, const float* kappas, const float* logs,
                                             const float* temperature, int batch, const int* groups) {
    sums<true, true>(row_most, row_sums, column_most, column_sums, pairs, kappas, logs, temperature, groups, batch);
}

extern "C" __global__ void gradient_linear_masked(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                                  const float* rows, const float* columns, const float* kappas,
                                                  const float* logs, const float* temperature, int batch, const int* groups) {
    gradient<false, true>(pairs, column_sums, radial, losses, dots, rows, columns, kappas, logs, temperature, groups, batch);
}

extern "C" __global__ void gradient_power_masked(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                                 const float* rows, const float* columns, const float* kappas,
                                                 const float* logs, const float* temperature, int batch, const int* groups) {
    gradient<true, true>(pairs, column_sums, radial, losses, dots, rows, columns, kappas, logs, temperature, groups, batch);
}

extern "C" __global__ void sigmoid_pairs_masked(float* row_sums, float* column_sums, float* losses, float* dots,
                                                const float* cosines, const float* of_rows, const float* of_columns,
                                                const float* numbers, int batch, float weight, const int* groups) {
    pair_losses<true>(row_sums, column_sums, losses, dots, cosines, of_rows, of_columns, numbers, groups, batch, weight);
}
