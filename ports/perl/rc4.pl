#!/usr/bin/env perl
# rc4: encrypt or decrypt a text with RC4. The program of Galvane & Uzel (2012) in Perl.
#
#     printf Baptiste | perl rc4.pl --out-hexa Quentin
#
# RC4 is broken: use it to read old data and to study it, never to protect anything new.
#
# Unlike the paper's, this program reads and writes a block at a time. It starts at once and its
# memory does not grow with the input.

use strict;
use warnings;
use Errno;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

use constant { N => 256, KEY_MAX => 256, BLOCK => 65536 };

use constant USAGE => <<'END';
Usage: rc4 [OPTION]... KEY
Encrypt or decrypt a plain/cipher text using the RC4 algorithm
The input text will be read from stdin and en/decrypted using the key KEY
  --bench=N        benchmark mode, encrypts N random bytes
  --bench-loop=M   the encryption will be run M times, default is 1
  --in-hexa        input text will be interpreted as hexa, default is raw
  --out-hexa       output text will be written in hexa, default is raw
END

# ---- The cipher ----------------------------------------------------------------------------------

# The state of one stream: the permutation and the two indexes.
my (@S, $i, $j);

# The key-scheduling algorithm.
sub ksa {
    my @key = unpack 'C*', $_[0];
    @S = 0 .. N - 1;
    $j = 0;
    for $i (0 .. N - 1) {
        $j = ($j + $S[$i] + $key[$i % @key]) % N;
        @S[$i, $j] = @S[$j, $i];
    }
    @key = (0) x @key;
    $i = $j = 0;
    return;
}

# The pseudo-random generation algorithm: one byte of keystream.
sub prga {
    $i = ($i + 1) % N;
    $j = ($j + $S[$i]) % N;
    @S[$i, $j] = @S[$j, $i];
    return $S[($S[$i] + $S[$j]) % N];
}

# Encrypts or decrypts a text, a block at a time, since a list of numbers takes over thirty times the
# memory of the text. `prga` is in the loop, since calls are slow in Perl.
sub crypt_text {
    my $out = '';
    my ($x, $y);
    for (my $at = 0; $at < length $_[0]; $at += BLOCK) {
        my @text = unpack 'C*', substr $_[0], $at, BLOCK;
        for my $byte (@text) {
            $i = ($i + 1) & 255;
            $x = $S[$i];
            $j = ($j + $x) & 255;
            $y = $S[$j];
            $S[$i] = $y;
            $S[$j] = $x;
            $byte ^= $S[($x + $y) & 255];
        }
        $out .= pack 'C*', @text;
    }
    return $out;
}

# ---- The end of the program ----------------------------------------------------------------------

# Ends the program; the state is overwritten. So is the key where it was copied, but Perl may have
# made copies of its own, and the list of processes shows the argument.
sub leave {
    my ($status) = @_;
    @S = (0) x N;
    $i = $j = 0;
    exit $status;
}

# Prints a line on stderr, for status 2 also the usage text, and ends the program.
sub fail {
    my ($status, $message) = @_;
    print STDERR "rc4: $message\n", $status == 2 ? USAGE : '';
    leave($status);
}

# ---- Input and output ----------------------------------------------------------------------------

# Reads at most $size bytes. Returns none at the end of the input.
sub read_some {
    my ($size) = @_;
    my $text = '';
    while (1) {
        my $got = sysread STDIN, $text, $size;
        return $text if defined $got;
        fail(1, "cannot read standard input: $!") unless $!{EINTR};
    }
}

# Writes all bytes. If the reader has closed the pipe, the program ends with status 0.
sub write_all {
    my ($bytes) = @_;
    my $done = 0;
    while ($done < length $bytes) {
        my $put = syswrite STDOUT, $bytes, length($bytes) - $done, $done;
        if (defined $put) {
            $done += $put;
        } elsif ($!{EPIPE}) {
            leave(0);
        } elsif (!$!{EINTR}) {
            fail(1, "cannot write standard output: $!");
        }
    }
    return;
}

# The state of the hexadecimal reader between two blocks.
my $hex_offset = 0;       # of the next character of the input
my $hex_digits = 0;       # digits read: if odd, the last one is in $hex_high
my $hex_high = '';
my $hex_line_end = '';    # "\r" or "\n", if that was the last character

use constant NO_DIGIT => 'is not a hexadecimal digit; allowed are 0-9, a-f and A-F';
use constant BEHIND => 'comes after a line end; one is allowed, as the last of the input';

# The error for an invalid character at $offset.
sub hex_error {
    my ($offset, $c, $what) = @_;
    my $shown = $c =~ /[ -~]/ ? "'$c'" : sprintf 'byte 0x%02x', ord $c;
    return "offset $offset: $shown $what";
}

# The bytes that the characters make, and the error that stopped it early, if any. One line end, LF
# or CR LF, may close the input.
sub hex_decode {
    my ($text) = @_;
    my $digits = $hex_high;
    my $error;
    for my $c (split //, $text) {
        if ($hex_line_end eq "\n") {
            $error = hex_error($hex_offset, $c, BEHIND);
        } elsif ($hex_line_end eq "\r" && $c ne "\n") {
            $error = hex_error($hex_offset - 1, "\r", NO_DIGIT);
        } elsif ($c eq "\n" || $c eq "\r") {
            $hex_line_end = $c;
        } elsif ($c !~ /[0-9a-fA-F]/) {
            $error = hex_error($hex_offset, $c, NO_DIGIT);
        } else {
            $digits .= $c;
            $hex_digits++;
        }
        last if defined $error;
        $hex_offset++;
    }
    $hex_high = $hex_digits % 2 ? chop $digits : '';
    return (pack('H*', $digits), $error);
}

# Returns the error in an input that has ended, if there is one.
sub hex_end {
    return hex_error($hex_offset - 1, "\r", NO_DIGIT) if $hex_line_end eq "\r";
    return if $hex_digits % 2 == 0;
    return "offset $hex_digits: the digits end in the middle of a byte; each byte has two";
}

# ---- The two modes -------------------------------------------------------------------------------

# Standard mode: stdin to stdout, block by block, until the input ends.
sub filter {
    my ($in_hexa, $out_hexa) = @_;

    # If a program reads a file and appends to it, it never reaches the end.
    my @in = stat STDIN;
    my @out = stat STDOUT;
    if (@in && @out && -f STDIN && $in[0] == $out[0] && $in[1] == $out[1]) {
        fail(2, 'the output standard output is the input standard input; choose another output');
    }

    my $error;
    while (!defined $error && length(my $text = read_some(BLOCK))) {
        ($text, $error) = hex_decode($text) if $in_hexa;
        $text = crypt_text($text);
        write_all($out_hexa ? unpack('H*', $text) : $text);
    }
    $error //= hex_end();
    fail(1, "cannot decode the input: $error") if defined $error;
    write_all("\n") if $out_hexa && -t STDOUT;
    return;
}

# Returns the available bytes of memory. Perl cannot catch a failed allocation.
sub memory {
    open my $file, '<', '/proc/meminfo' or return 1 << 30;
    my ($kilobytes) = join('', <$file>) =~ /^MemAvailable: +([0-9]+) kB/m;
    close $file;
    return 1024 * ($kilobytes // 1 << 20);
}

# Benchmark mode: $length random bytes, key schedule and encryption, $loop times.
sub bench {
    my ($key, $length, $loop) = @_;
    if (3 * $length > memory()) {
        fail(1, "--bench=$length: not enough memory for this many bytes");
    }
    open my $random, '<:raw', '/dev/urandom' or fail(1, "cannot read random bytes: $!");
    my $plain = '';
    while (length $plain < $length) {
        my $missing = $length - length $plain;
        sysread $random, $plain, $missing < BLOCK ? $missing : BLOCK, length $plain
            or fail(1, "cannot read random bytes: $!");
    }
    close $random;

    my $text;
    my $elapsed = clock_gettime(CLOCK_MONOTONIC);
    for (my $m = 0; $m < $loop; $m++) {
        ksa($key);
        $text = crypt_text($plain);
    }
    $elapsed = clock_gettime(CLOCK_MONOTONIC) - $elapsed;

    # Checks the result before it prints a time.
    ksa($key);
    for my $k (0 .. ($length < BLOCK ? $length : BLOCK) - 1) {
        next if vec($text, $k, 8) == (vec($plain, $k, 8) ^ prga());
        fail(1, "the benchmark's output is wrong at byte $k");
    }

    write_all(sprintf "encryption time = %.3f us\nthroughput      = %.1f MB/s\n",
        $elapsed * 1e6 / $loop, $length * $loop / $elapsed / 1e6);
    return;
}

# ---- The command line ----------------------------------------------------------------------------

# The values of the arguments; bench and bench_loop are 0 if not given.
my %args = (in_hexa => 0, out_hexa => 0, bench => 0, bench_loop => 0, key => undef);

# Returns 1 for an option without a value.
sub flag {
    my ($name, $value, $given) = @_;
    fail(2, "unexpected value '$value' for '$name' found; no more were expected") if defined $value;
    fail(2, "the argument '$name' cannot be used multiple times") if $given;
    return 1;
}

# Returns the number of an option. $letter is the name of the number in the usage text.
sub number {
    my ($name, $letter, $value, $min, $max, $given) = @_;
    my $shown = "$name=<$letter>";
    fail(2, "equal sign is needed when assigning values to '$shown'") unless defined $value;
    fail(2, "the argument '$shown' cannot be used multiple times") if $given;
    # Compares as text, because Perl's numbers beyond 64 bits are not exact.
    my ($n) = $value =~ /\A\+?0*([0-9]+)\z/;
    if (!defined $n || $n < $min || length $n > length $max || (length $n == length $max && $n gt $max)) {
        fail(2, "invalid value '$value' for '$shown': $letter is a whole number from $min to $max");
    }
    return $n;
}

# Takes an option: its name, and its value after the equal sign if there is one.
sub option {
    my ($name, $value) = split /=/, $_[0], 2;
    fail(2, "the option $name comes after the KEY; the KEY goes last") if defined $args{key};
    if ($name eq '--bench') {
        $args{bench} = number($name, 'N', $value, 2, '9223372036854775807', $args{bench});
    } elsif ($name eq '--bench-loop') {
        $args{bench_loop} = number($name, 'M', $value, 1, '18446744073709551615', $args{bench_loop});
    } elsif ($name eq '--in-hexa') {
        $args{in_hexa} = flag($name, $value, $args{in_hexa});
    } elsif ($name eq '--out-hexa') {
        $args{out_hexa} = flag($name, $value, $args{out_hexa});
    } else {
        fail(2, "unknown option '$name'; there are --bench=N, --bench-loop=M, --in-hexa and --out-hexa");
    }
    return;
}

# Takes the key, the only argument that is not an option.
sub take_key {
    my ($argument) = @_;
    if (defined $args{key}) {
        fail(2, "unexpected '$argument' after the KEY; there is one KEY, given last, and the input is "
            . 'read from stdin');
    }
    if ($argument =~ /[^\x00-\x7f]/) {
        fail(2, "the key has a byte that is not ASCII at offset $-[0]; `arcfour crypt` takes keys of any "
            . 'bytes');
    }
    my $length = length $argument;
    fail(2, "the key has $length bytes; it must have 1 to 256") if $length < 1 || $length > KEY_MAX;
    $args{key} = $argument;
    return;
}

binmode STDIN;
binmode STDOUT;
$SIG{PIPE} = 'IGNORE';

my $options = 1;
for my $argument (@ARGV) {
    if ($options && $argument eq '--') {
        $options = 0;
    } elsif ($options && $argument =~ /\A-./s) {
        option($argument);
    } else {
        take_key($argument);
    }
}
fail(2, 'no KEY; it is 1 to 256 ASCII characters, given last') unless defined $args{key};
if ($args{bench_loop} && !$args{bench}) {
    fail(2, '--bench-loop=M needs --bench=N, the number of bytes to encrypt');
}

if ($args{bench}) {
    bench($args{key}, $args{bench}, $args{bench_loop} || 1);
} else {
    ksa($args{key});
    substr($args{key}, 0) = "\0" x length $args{key};
    filter($args{in_hexa}, $args{out_hexa});
}
leave(0);
