/* What rc4test.c uses of OpenSSL's test framework. */
#include <stddef.h>
#include <string.h>

#define TEST_mem_eq(a, m, b, n) ((m) == (n) && memcmp(a, b, n) == 0)
#define TEST_uchar_eq(a, b) ((a) == (b))
#define ADD_TEST(test) count(test())
#define ADD_ALL_TESTS(test, times) for (int n = 0; n < (int)(times); n++) count(test(n))

void count(int passed);
int setup_tests(void);
