#include "placement/top.h"

/* The guess is set that share below the last k-th value, so that it also holds after small moves.
 */
static const double slack = 1.0 / 16;

static void swap(double *a, double *b)
{
    const double keep = *a;
    *a = *b;
    *b = keep;
}

/* The k-th largest of n values, which are put in another order (Hoare's quickselect). */
static double select_largest(double *v, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    const size_t want = k - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (v[middle] > v[low])
            swap(&v[middle], &v[low]);
        if (v[high] > v[low])
            swap(&v[high], &v[low]);
        if (v[high] > v[middle])
            swap(&v[high], &v[middle]);
        const double pivot = v[middle];
        size_t i = low, j = high;
        for (;;) {
            while (v[i] > pivot)
                i++;
            while (v[j] < pivot)
                j--;
            if (i >= j)
                break;
            swap(&v[i++], &v[j--]);
        }
        if (want <= j)
            high = j;
        else
            low = j + 1;
    }
    return v[want];
}

/* Values that are not below the guess, in their order; how many. */
static size_t collect(double *out, const double *value, size_t n, double guess)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        out[m] = value[i];
        m += value[i] >= guess;
    }
    return m;
}

double sc_top_mean(sc_top *t, const double *value, size_t n, size_t k)
{
    double *kept = t->scratch, *shuffled = t->scratch + n, sum = 0;
    size_t m = collect(kept, value, n, t->guess), above = 0;

    if (m < k || m > 4 * k + 64)
        m = collect(kept, value, n, -1);
    for (size_t i = 0; i < m; i++)
        shuffled[i] = kept[i];
    const double kth = select_largest(shuffled, m, k);
    for (size_t i = 0; i < m; i++) {
        sum += kept[i] > kth ? kept[i] : 0;
        above += kept[i] > kth;
    }
    t->guess = kth - slack * kth;
    return (sum + (double)(k - above) * kth) / (double)k;
}
