#include <stdio.h>
#include "testutil.h"

static int run, failed;

void count(int passed)
{
    run++;
    failed += !passed;
}

int main(void)
{
    int ready = setup_tests();
    printf("%d %d\n", run, failed + !ready);
    return 0;
}
