import { useEffect, useState } from "preact/hooks";

/** Says each step to a screen reader, once it has rested for a moment. */
export function Spoken({ text }: { text: string }) {
  const [said, say] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => say(text), 150);
    return () => clearTimeout(timer);
  }, [text]);
  return <p class="unseen" role="status" aria-live="polite">{said}</p>;
}
