/** A stop of the guided tour: the guide's text, and the part of the page that shows it. */
export interface Stop {
  title: string;
  /** Paragraphs, about a minute read aloud. */
  text: readonly string[];
  /** What to do now. */
  try: string;
  link: string;
}

/** The story of RC4 in 15 minutes. */
export const tour: readonly Stop[] = [
  {
    title: "A cipher on an index card",
    text: [
      "In 1987 Ron Rivest needed a cipher that is fast in software. He took a table with every number once, here 0 to 15, and two pointers. It stayed a trade secret until somebody posted it to a mailing list in 1994.",
      "Here the table has 16 cells instead of 256, so that you can see all of it. At the start, cell v holds the value v. The shade of a cell shows its value, and runs evenly from the first value to the last.",
    ],
    try: "press → a few times. i walks from cell to cell, j jumps, and the two cells change places.",
    link: "#steps?family=rc4&n=16&base=10&key=text:Key&text=text:Plaintext&at=0&speed=1",
  },
  {
    title: "The key moves j",
    text: [
      "This is the key schedule. For each cell i, add the cell's value and the next byte of the key to j, modulo N. Then cells i and j swap. When the key ends, it is used again from its start.",
      "The key is only ever added to j. So pieces of it stay readable, as we shall see.",
    ],
    try: "step through to 16. Then change one letter of the key and watch which cells differ.",
    link: "#steps?family=rc4&n=16&base=10&key=text:Key&text=text:Plaintext&at=6&speed=1",
  },
  {
    title: "A byte a swap",
    text: [
      "Now the keystream. i goes on by one, and j by the value at i. The two cells swap. Their sum is t, and the cell at t is the word of keystream. The key is no longer used: the table is the secret.",
      "Xor that word with a letter of the message and you have the ciphertext. Xor it again and the letter is back. The bottom shows each bit.",
    ],
    try: "step forward to the end of the message, then back with ←: every state is there again.",
    link: "#steps?family=rc4&n=16&base=10&key=text:Key&text=text:Plaintext&at=17&speed=1",
  },
  {
    title: "The real size",
    text: [
      "RC4 itself has 256 cells, about 1684 bits of secret, and its loop is three lines. So it went everywhere: Netscape's SSL in 1995, Wi-Fi, Word, PDF, Windows logons. Around 2013 half of the Web's encrypted traffic was RC4.",
      "In this grid the schedule shuffles light and dark cells into noise. It looks random. Is it?",
    ],
    try: "press Play: 60 steps a second. Pause when the keystream begins.",
    link: "#steps?family=rc4&n=256&base=16&key=text:Key&text=text:Plaintext&at=0&speed=60",
  },
  {
    title: "The second byte",
    text: [
      "In 2001 Itsik Mantin and Adi Shamir find a bias with a short proof. If the schedule leaves 0 in cell 2, the second byte is nearly always 0. That happens for one key in 256, and chance adds as much again.",
      "So the second byte is 0 twice as often as chance allows. If you send one message under many keys, its second byte can be read from the ciphertexts alone.",
    ],
    try: "step twice and follow the glowing zero: from cell 2 to cell j, and out.",
    link: "#leaks?topic=second&at=0",
  },
  {
    title: "Count it yourself",
    text: [
      "Your browser can make a million keystreams under random keys in seconds. Every cell of this map is one value of one byte: warm is too often, cool is too seldom.",
      "On the left only the second byte stands out, down in the corner. The right map has a thousand million keystreams. It shows the diagonal Z_r = r, the line of zeros at the bottom, and dots at 16, 32, 48 …, the multiples of the key's length.",
    ],
    try: "press Count. Then click a dot on the right to read what it is.",
    link: "#leaks?topic=map&r=16&v=240",
  },
  {
    title: "The key shows through",
    text: [
      "In 1995, a year after the leak, Andrew Roos posts to a newsgroup. After the schedule, the first cells of the table are often a plain sum of key bytes: about 37 % of the time, against 0.4 % by chance. Many cells are swapped only once, by i, and keep the value that j selected.",
      "The glowing cells still match. So the table after the key schedule reveals the key.",
    ],
    try: "press “Another random key” a few times; then count a hundred thousand keys.",
    link: "#leaks?topic=roos",
  },
  {
    title: "It never stops",
    text: [
      "RC4-drop throws the first bytes away, and it helps. But Robert Jenkins saw in 1996 that every later byte gives a glimpse of the table: S[j] = i − Z, twice as often as by chance.",
      "AlFardan, Bernstein, Paterson, Poettering and Schuldt in 2013, and Vanhoef and Piessens in 2015, turned long-term biases into attacks on Web cookies. The latter needed 75 hours of traffic.",
    ],
    try: "count five million words: the bar at 0 is twice as tall as the others.",
    link: "#leaks?topic=glimpse&n=64",
  },
  {
    title: "How not to use any stream cipher",
    text: [
      "The commonest break needs no bias. If two messages have one key, the xor of the ciphertexts cancels the keystream. Word and Excel made this mistake, and Microsoft's first VPN.",
      "Then guess. Most English messages contain “ the ”: slide it along until the other message makes sense.",
    ],
    try: "drag the crib over the xor. Where it turns green, lengthen it and read on.",
    link: "#twice?crib=+the+&at=0",
  },
  {
    title: "Repairs",
    text: [
      "Others tried to repair RC4: RC4A, VMPC, RC4+, and Rivest's own Spritz in 2014. Each was distinguished from random sooner than its designers hoped.",
      "Every family here is computed by the same kind of machine, and you can step through each.",
    ],
    try: "pick one, for instance RC4A, and step through it: its second table looks up the first one's sum.",
    link: "#families?key=text:Key",
  },
  {
    title: "Four times the same",
    text: [
      "PARC4-I of 2015 has four tables that work in parallel, four j, and four bytes a round. But the paper gives all four tables the same key.",
      "Look at the tables: they stay alike. So nearly every byte appears four times, and the output is RC4's at a quarter of the speed. The paper's statistics on short texts missed it; one look at the tables shows it.",
    ],
    try: "step through a round of four bytes, and compare the four grids.",
    link: "#steps?family=parc4i&n=16&base=10&key=text:Key&text=text:Plaintext&at=16&speed=1",
  },
  {
    title: "In hardware",
    text: [
      "In software a byte needs the byte before it. Hardware can work on many bytes at once, if it knows j early. Sen Gupta and colleagues made two bytes a clock in 2013, with a long clock.",
      "This core reads ahead and adds. When a j hits a cell that was already read, the dashed groups wait a clock. This is frequent with 16 cells and rare with 256. The clock period of this core is far shorter.",
    ],
    try: "step from clock to clock; red is a value that is not right yet. Then look at the paper's design.",
    link: "#hardware?core=rc4_spec&n=16&at=8",
  },
  {
    title: "How fast it still is",
    text: [
      "RC4 was made for speed: in software it was far ahead of the ciphers of 1995. Today processors have instructions for AES, and RC4 is slower.",
      "Each byte needs the swap before it, so vector instructions do not help one stream. See how fast your browser is.",
    ],
    try: "press Measure: the code is verified first, then timed, and set beside native programs.",
    link: "#speed",
  },
  {
    title: "The end of RC4, and what to keep",
    text: [
      "In February 2015, RFC 7465 forbids RC4 in TLS. RC4 is still in old PDF and Office files, in captures, and in firmware. This workbench exists for these data.",
      "Remember three things. A cipher can look random and leak from the first byte. Speed goes out of date. A key is for one message. New designs use AES-GCM or ChaCha20-Poly1305.",
    ],
    try: "choose a key of your own, step through it once more, and send somebody the address: it holds everything you see.",
    link: "#steps?family=rc4&n=256&base=16&key=text:Your own key&text=text:Goodbye, RC4&at=256&speed=4",
  },
];
