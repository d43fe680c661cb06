// What examples/hash_insert is measured against: the same insertion written by hand, one thread a key.
extern "C" __global__ void insert(const long long *keys, unsigned long long *table, int *dropped, int n, int capacity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long key = keys[i], empty = ~0ull;
    unsigned slot = ((key ^ key >> 32) * 0x9E3779B97F4A7C15ull >> 32) & (capacity - 1);
    for (int round = 0; round < 4096; round++) {
        unsigned long long old = atomicCAS(&table[slot], empty, key);
        if (old == empty || old == key) return;
        slot = (slot + 1) & (capacity - 1);
    }
    atomicAdd(dropped, 1);
}
