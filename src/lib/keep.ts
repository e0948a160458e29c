/** Notes what was made of a key, for when it is asked for again. Where there are as many as may be kept all others are forgotten: who asks for the same few finds them nearly always. */
export function keep<K, V>(kept: Map<K, V>, key: K, made: V, most: number): V {
  if (kept.size >= most) kept.clear();
  kept.set(key, made);
  return made;
}
