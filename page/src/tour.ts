export interface Stop {
  title: string;
  /** Paragraphs to be read aloud or along; plain text. */
  text: readonly string[];
  /** What to do now. */
  try: string;
  /** The state of the page that goes with it. */
  link: string;
}

export const tour: readonly Stop[] = [];
