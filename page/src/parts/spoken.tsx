import { useEffect, useState } from "preact/hooks";

/** Announces each step to a screen reader after a short pause. */
export function Spoken({ text }: { text: string }) {
  const [said, say] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => say(text), 150);
    return () => clearTimeout(timer);
  }, [text]);
  return <p class="unseen" role="status" aria-live="polite">{said}</p>;
}
