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
      "In 1987 Ron Rivest needed a cipher that is fast in software. He took a table with every number once, here 0 to 15, and two pointers. It stayed a trade secret until somebody posted it to a mailing list in 1994; from then on everybody had it, because anybody could remember it.",
      "Here the table has 16 cells instead of 256, so that you can see all of it. At the start, cell v holds the value v. The shade of a cell shows its value, and runs evenly from the first value to the last.",
    ],
    try: "press → a few times. i walks from cell to cell, j jumps, and the two cells change places.",
    link: "#steps?family=rc4&n=16&base=10&key=text:Key&text=text:Plaintext&at=0&speed=1",
  },
  {
    title: "The key moves j",
    text: [
      "This is the key schedule. For each cell i, j goes on by what the cell holds and by the next byte of the key, modulo N; then they swap. The key is used again from its start when it ends.",
      "The key is only ever added to j. That is all it does, and it is why pieces of it stay readable, as we shall see.",
    ],
    try: "step through to 16. Then change one letter of the key and watch which cells differ.",
    link: "#steps?family=rc4&n=16&base=10&key=text:Key&text=text:Plaintext&at=6&speed=1",
  },
  {
    title: "A byte a swap",
    text: [
      "Now the keystream. i goes on by one, j by what i points to, the two cells swap; their sum is t, and the cell at t is the word that comes out. No key any more: the table is the secret.",
      "Xor that word with a letter of the message and you have the ciphertext; xor it again and the letter is back. Bit by bit it is drawn at the bottom.",
    ],
    try: "step forward to the end of the message, then back with ←: every state is there again.",
    link: "#steps?family=rc4&n=16&base=10&key=text:Key&text=text:Plaintext&at=17&speed=1",
  },
  {
    title: "The real size",
    text: [
      "RC4 itself has 256 cells: about 1684 bits of secret, and the loop is three lines. No wonder it went everywhere: Netscape's SSL in 1995, Wi-Fi, Word, PDF, Windows logons. Around 2013 half of the Web's encrypted traffic was RC4.",
      "In this grid the shades show the order dissolve: the schedule shuffles light and dark into noise. It looks random. Is it?",
    ],
    try: "press Play: 60 steps a second. Pause when the keystream begins.",
    link: "#steps?family=rc4&n=256&base=16&key=text:Key&text=text:Plaintext&at=0&speed=60",
  },
  {
    title: "The second byte",
    text: [
      "2001: Itsik Mantin and Adi Shamir find a bias one can prove on a napkin. If the schedule leaves 0 in cell 2, the second byte is 0. Always. That happens for one key in 256, and chance adds as much again.",
      "So the second byte is 0 twice as often as it may be. Send one message under many keys, and its second byte can be read from the ciphertexts alone.",
    ],
    try: "step twice and follow the glowing zero: from cell 2 to cell j, and out.",
    link: "#leaks?topic=second&at=0",
  },
  {
    title: "Count it yourself",
    text: [
      "No proof needed: your browser can make a million keystreams under random keys in seconds. Every cell of this map is one value of one byte; warm is too often, cool too seldom.",
      "On the left only the second byte stands out, down in the corner. On the right, after a thousand million keystreams, a whole landscape: the diagonal Z_r = r, the line of zeros at the bottom, the dots at 16, 32, 48 … where the length of the key shows through.",
    ],
    try: "press Count. Then click a dot on the right to read what it is.",
    link: "#leaks?topic=map&r=16&v=240",
  },
  {
    title: "The key shows through",
    text: [
      "1995, a year after the leak, Andrew Roos posts to a newsgroup: after the schedule the first cells of the table are often a plain sum of key bytes: about 37 % of the time, against 0.4 % by chance. Many cells are swapped only once, by i, and keep the value that j selected.",
      "The glowing cells still match. So the table after the key schedule reveals the key.",
    ],
    try: "press “Another random key” a few times; then count a hundred thousand keys.",
    link: "#leaks?topic=roos",
  },
  {
    title: "It never stops",
    text: [
      "Can one throw the first bytes away? That is RC4-drop, and it helps. But Robert Jenkins saw in 1996 that every byte, for ever, gives a glimpse of the table: S[j] = i − Z, twice as often as chance.",
      "In 2013 AlFardan, Bernstein, Paterson, Poettering and Schuldt, in 2015 Vanhoef and Piessens turned long-term biases into attacks on real Web cookies: 75 hours of traffic.",
    ],
    try: "count five million words: the bar at 0 is twice as tall as the others.",
    link: "#leaks?topic=glimpse&n=64",
  },
  {
    title: "How not to use any stream cipher",
    text: [
      "The commonest break needs no bias at all. Two messages under one key: xor the ciphertexts, and the keystream is gone. Word and Excel did this, and Microsoft's first VPN.",
      "Then guess. “ the ” is in most English messages: slide it along until the other message makes sense.",
    ],
    try: "drag the crib over the xor. Where it turns green, lengthen it and read on.",
    link: "#twice?crib=+the+&at=0",
  },
  {
    title: "Repairs",
    text: [
      "People loved the idea too much to let it go: RC4A, VMPC, RC4+, and Rivest's own Spritz in 2014. Each was distinguished from random sooner than its designers hoped.",
      "Every family here is computed by the same kind of machine, and you can step through each.",
    ],
    try: "pick one, for instance RC4A, and step through it: its second table looks up the first one's sum.",
    link: "#families?key=text:Key",
  },
  {
    title: "Four times the same",
    text: [
      "And one repair is a lesson in reading. PARC4-I of 2015 has four tables that work in parallel, four j, four bytes a round. But the paper gives all four the same key.",
      "Look at the tables: they turn alike, for ever. So nearly every byte appears four times: the output is RC4's, at a quarter of the speed. The paper's statistics on short texts missed it; one look at the tables shows it.",
    ],
    try: "step through a round of four bytes, and compare the four grids.",
    link: "#steps?family=parc4i&n=16&base=10&key=text:Key&text=text:Plaintext&at=16&speed=1",
  },
  {
    title: "In hardware",
    text: [
      "In software a byte needs the byte before it. Hardware can work on many at once, if it knows where j will be. Sen Gupta and colleagues did two bytes a clock in 2013, with a long clock.",
      "This core bets instead: it reads ahead, and adds. When a j hits a cell that was already read, the dashed groups wait a clock: often with 16 cells, rarely with 256. And its clock is far shorter.",
    ],
    try: "step from clock to clock; red is a value that is not right yet. Then look at the paper's design.",
    link: "#hardware?core=rc4_spec&n=16&at=8",
  },
  {
    title: "How fast it still is",
    text: [
      "Speed was the whole point: in software RC4 was far ahead of the ciphers of 1995. Today processors have instructions for AES, and RC4 is the slow one.",
      "It is a chain: each byte needs the swap before it, and no vector instruction helps. See what your browser makes of it.",
    ],
    try: "press Measure: the code is verified first, then timed, and set beside native programs.",
    link: "#speed",
  },
  {
    title: "The end of RC4, and what to keep",
    text: [
      "February 2015: RFC 7465 forbids RC4 in TLS. It is still in old PDF and Office files, in captures, in firmware; that is why a workbench for it exists.",
      "What to keep: a cipher can look random to every eye and leak from the first byte. Simple is not the same as safe, fast goes out of date, and a key is for one message. New designs use AES-GCM or ChaCha20-Poly1305.",
    ],
    try: "choose a key of your own, step through it once more, and send somebody the address: it holds everything you see.",
    link: "#steps?family=rc4&n=256&base=16&key=text:Your own key&text=text:Goodbye, RC4&at=256&speed=4",
  },
];
