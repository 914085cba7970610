const particle = (verb: string, after: string): RegExp =>
  new RegExp(
    `\\b(?:${verb})((?: (?:it|them|this|that|my|the|our|a|an|some|your)(?: [\\p{L}-]+)?)?) (?:${after})\\b`,
    'giu',
  )

/** Verbs of two words with the one that documents use. */
const phrasal: readonly (readonly [RegExp, string])[] = [
  [particle('call|calling|called', 'off'), 'cancel'],
  [particle('send|give|bring|take|hand', 'back'), 'return'],
  [particle('take|taking|get|draw', 'out'), 'withdraw'],
  [particle('pick|picking|picked', 'up'), 'collect'],
  [particle('sign|signing', 'up'), 'register'],
  [particle('log|sign|logging', 'in|on|into'), 'login'],
  [particle('put|push|move', 'off|back'), 'postpone'],
  [particle('hand|turn|send', 'in'), 'submit'],
  [particle('show|turn', 'up'), 'appear'],
  [particle('run', 'out'), 'expire'],
  [particle('get|getting|be|move', 'out of'), 'leave'],
  [particle('throw|throwing', 'away|out'), 'dispose'],
  [particle('set', 'up'), 'install'],
  [particle('switch|turn', 'off'), 'switchoff'],
  [/\b(?:get|have|want)(?: (?:my|our|the|all))? money back\b/giu, 'refund'],
  [/\bget rid of\b/giu, 'remove'],
]

/** A text with such verbs in one word; the length may change. */
export function inOneWord(text: string): string {
  return phrasal.reduce(
    (result, [pattern, verb]) =>
      result.replace(pattern, (_, object?: unknown) => `${verb}${typeof object === 'string' ? object : ''}`),
    text,
  )
}
