#define OSSL_NELEM(x) (sizeof(x) / sizeof((x)[0]))
