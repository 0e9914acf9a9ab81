// The matrix product of cards without cuBLAS: every machine with a driver can train. See step.cu for shapes and sums.

#define SIDE 64             // of a tile of the product, which a block of 64 threads does
#define DEPTH 8             // of a tile of a factor along the inner dimension
#define LINE (SIDE + 4)     // words from one depth to the next: lines along the depth fall into all banks of shared memory
#define EDGE 8              // values that a thread copies of a tile, and rows and columns that it does
#define TILE (DEPTH * LINE)

// How a thread copies its values of a factor's tiles. Lines are rows of the left factor and columns of the right one.
struct Copy {
    const float* from;      // the first value
    long long step, next;   // to its next value in the tile, and to the first one in the next tile
    int line, line_step, lines, depth, depth_step, inner;  // which value that is, and how many there are
    int place, place_step;  // in shared memory
};

// A factor's lines lie along the inner dimension, or across it. Neighbouring threads read neighbouring values.
static __device__ Copy copy_of(const float* factor, int first, int lines, int inner, int along) {
    int line = along ? threadIdx.x / DEPTH : threadIdx.x, depth = along ? threadIdx.x % DEPTH : 0;
    long long of_line = along ? inner : 1, of_depth = along ? 1 : lines;
    Copy c;
    c.from = factor + (first + line) * of_line + depth * of_depth;
    c.line_step = along ? SIDE / EDGE : 0, c.depth_step = along ? 0 : 1;
    c.step = c.line_step * of_line + c.depth_step * of_depth, c.next = DEPTH * of_depth;
    c.line = first + line, c.lines = lines, c.depth = depth, c.inner = inner;
    c.place = depth * LINE + line, c.place_step = c.line_step + c.depth_step * LINE;
    return c;
}

// Reads the values of the next tile; there are zeros beyond the factor.
static __device__ void fetch(float* values, Copy* c) {
    const float* from = c->from;
#pragma unroll
    for (int i = 0; i < EDGE; i++, from += c->step) {
        bool inside = c->line + i * c->line_step < c->lines && c->depth + i * c->depth_step < c->inner;
        values[i] = inside ? *from : 0.0f;
    }
    c->from += c->next;
    c->depth += DEPTH;
}

static __device__ void keep(float* tile, const float* values, const Copy* c) {
#pragma unroll
    for (int i = 0; i < EDGE; i++) tile[c->place + i * c->place_step] = values[i];
}

struct __align__(16) Vector {
    float values[4];
};

// The values that a thread takes of a depth: four at its place in both halves of the tile.
static __device__ void take(float* values, const float* depth, int place) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        Vector vector = *(const Vector*)(depth + half * (SIDE / 2) + 4 * place);
#pragma unroll
        for (int i = 0; i < 4; i++) values[4 * half + i] = vector.values[i];
    }
}

// dst = a·b, or dst + a·b: rows×columns, with a or b transposed. The sum of a value goes along the inner dimension in its
// order. A block of 64 threads is a tile of 64×64, tiles row by row along x; a thread has 8×8 values. While a tile of the
// factors is multiplied, the next one is read.
extern "C" __global__ void __launch_bounds__(SIDE, 8) product(float* dst, const float* a, const float* b, int rows, int inner, int columns,
                                                          int left_transposed, int right_transposed, int add) {
    __shared__ __align__(16) float left[2 * TILE];
    __shared__ __align__(16) float right[2 * TILE];
    int wide = (columns + SIDE - 1) / SIDE, first_row = blockIdx.x / wide * SIDE, first_column = blockIdx.x % wide * SIDE;
    Copy of_left = copy_of(a, first_row, rows, inner, !left_transposed);
    Copy of_right = copy_of(b, first_column, columns, inner, right_transposed);
    float sums[EDGE][EDGE] = {}, from_left[EDGE], from_right[EDGE];
    fetch(from_left, &of_left);
    fetch(from_right, &of_right);
    int x = threadIdx.x % EDGE, y = threadIdx.x / EDGE;
    for (int at = 0, now = 0; at < inner; at += DEPTH, now = TILE - now) {
        keep(left + now, from_left, &of_left);
        keep(right + now, from_right, &of_right);
        __syncthreads();  // the tiles of the other half may still be read, those of this one are not any more
        if (at + DEPTH < inner) {
            fetch(from_left, &of_left);
            fetch(from_right, &of_right);
        }
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            float down[EDGE], across[EDGE];
            take(down, left + now + depth * LINE, y);
            take(across, right + now + depth * LINE, x);
#pragma unroll
            for (int i = 0; i < EDGE; i++)
#pragma unroll
                for (int j = 0; j < EDGE; j++) sums[i][j] = fmaf(down[i], across[j], sums[i][j]);
        }
    }
    // Where the sums go, without what lies beyond the product.
    float* to = dst + (first_row + 4 * y) * (long long)columns + first_column + 4 * x;
    int down = rows - first_row - 4 * y, across = columns - first_column - 4 * x;
#pragma unroll
    for (int i = 0; i < EDGE; i++, to += columns) {
        if (i == EDGE / 2) to += (SIDE - EDGE) / 2 * (long long)columns, down -= (SIDE - EDGE) / 2;
        if (i >= down) continue;
#pragma unroll
        for (int j = 0; j < EDGE; j++) {
            int column = j / 4 * (SIDE / 2) + j % 4;
            if (column >= across) continue;
            to[column] = add ? to[column] + sums[i][j] : sums[i][j];
        }
    }
}
