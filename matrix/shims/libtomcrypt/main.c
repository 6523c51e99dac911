#include <stdio.h>

int rc4_stream_test(void);

int main(void)
{
    printf("1 %d\n", rc4_stream_test() != 0);
    return 0;
}
