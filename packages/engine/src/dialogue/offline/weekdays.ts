/** English weekday names from Monday on, as terms. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

const dayWord = '(mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:[a-z]*day)?s?'
const single = new RegExp(`\\b${dayWord}\\b`, 'gi')
const range = new RegExp(`\\b${dayWord}\\.?\\s?(?:-|–|—|to|through|until|till)\\s?${dayWord}\\b`, 'gi')

const hint = /\b(?:mon|tue|wed|thu|fri|sat|sun|week|working|daily|every|all week|seven|7 days)/i

function positionOf(abbreviation: string): number {
  return weekdays.findIndex((day) => day.startsWith(abbreviation.toLowerCase().slice(0, 3)))
}

/** All weekdays that a text covers, as terms: short forms, ranges ("Mon–Fri"), "weekend", "every day". */
export function coveredWeekdays(text: string): string[] {
  if (!hint.test(text)) return []
  const days = new Set<string>()
  for (const found of text.matchAll(single)) days.add(weekdays[positionOf(found[1] ?? '')] ?? '')
  for (const found of text.matchAll(range)) {
    const first = positionOf(found[1] ?? '')
    const last = positionOf(found[2] ?? '')
    for (let step = 0; step < 7; step++) {
      const day = (first + step) % 7
      days.add(weekdays[day] ?? '')
      if (day === last) break
    }
  }
  if (/\bweekends?\b/i.test(text)) for (const day of weekdays.slice(5)) days.add(day)
  if (/\b(?:weekdays|working days)\b/i.test(text)) for (const day of weekdays.slice(0, 5)) days.add(day)
  if (/\b(?:daily|every day|all week|seven days|7 days)\b/i.test(text)) for (const day of weekdays) days.add(day)
  days.delete('')
  return [...days]
}
