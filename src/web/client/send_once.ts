/**
 * One form of a page is under way at a time. A second click while the answer of the first is awaited would do its deed again, and what the first
 * brought would be seen by nobody: a key, perhaps, that is shown once. After so long it was given up, and may be sent anew.
 */
const AWAITED_MS = 30_000;
let sentMs = -Infinity;
const giveUp = (): void => { sentMs = -Infinity; };

document.addEventListener('submit', (event) => {
  if (event.timeStamp - sentMs < AWAITED_MS) event.preventDefault();
  else sentMs = event.timeStamp;
});

/** The page came back as it was left. */
addEventListener('pageshow', ({ persisted }) => { if (persisted) giveUp(); });
/** He stopped it. Where a browser has nobody to tell this, he waits. A jump within the page is told as a stop first, though what was sent goes on. */
if ('navigation' in window) {
  let stopped: ReturnType<typeof setTimeout> | undefined;
  navigation.addEventListener('navigateerror', () => { stopped = setTimeout(giveUp); });
  navigation.addEventListener('navigate', ({ hashChange }) => { if (hashChange) clearTimeout(stopped); });
}
