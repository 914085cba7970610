/** Weekdays in English, German, French and Spanish, as they begin when folded; from Monday on. */
const days: readonly RegExp[] = [
  /^(?:mondays?|montags?|lundis?|lunes)$/,
  /^(?:tuesdays?|dienstags?|mardis?|martes)$/,
  /^(?:wednesdays?|mittwochs?|mercredis?|miercoles)$/,
  /^(?:thursdays?|donnerstags?|jeudis?|jueves)$/,
  /^(?:fridays?|freitags?|vendredis?|viernes)$/,
  /^(?:saturdays?|samstags?|sonnabends?|samedis?|sabados?)$/,
  /^(?:sundays?|sonntags?|dimanches?|domingos?)$/,
]
/** Short forms are words of their own in one language or another ("mon", "sun"); they count before what may follow a day only. */
const englishShort = /\b(Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun)\b\.?(?=\s?(?:[-–—,:;&/)+?]|to\b|through\b|and\b|\d|$))/gm
const englishDays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** German short forms are words of other languages; they count only in a range or before a time. */
const germanShort =
  /\b(Mo|Di|Mi|Do|Fr|Sa|So)\.?(?=\s?(?:[-–—,:+&/]|bis\b|und\b|\d))|(?<=[-–—,+&/]\s?)(Mo|Di|Mi|Do|Fr|Sa|So)\b/g
const germanDays = ['Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa', 'So']
const between = /^\s?\.?\s?(?:[-–—]|to|through|until|till|bis|au|a|al|hasta)\s?(?:el |le )?$/i
const everyDay =
  /\b(?:daily|every day|all week|seven days|7 days|24\/7|taglich|jeden tag|tous les jours|chaque jour|todos los dias|cada dia)\b/
const weekend = /\b(?:weekends?|wochenenden?|week-ends?|fin(?:es)? de semana)\b/
const working = /\b(?:weekdays?|working days?|werktags?|wochentags?|en semaine|entre semana)\b/

/** The weekdays that a text (as written) names or covers, 0 for Monday. */
export function daysIn(text: string): ReadonlySet<number> {
  const found: { readonly day: number; readonly from: number; readonly to: number }[] = []
  const bare = text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
  for (const word of bare.matchAll(/[A-Za-z]{3,11}/g)) {
    const day = days.findIndex((pattern) => pattern.test(word[0].toLowerCase()))
    if (day >= 0) found.push({ day, from: word.index, to: word.index + word[0].length })
  }
  for (const word of bare.matchAll(englishShort)) {
    const name = word[1] ?? ''
    found.push({ day: englishDays.indexOf(name.slice(0, 3)), from: word.index, to: word.index + name.length })
  }
  for (const word of bare.matchAll(germanShort)) {
    const name = word[1] ?? word[2] ?? ''
    found.push({ day: germanDays.indexOf(name), from: word.index, to: word.index + name.length })
  }
  found.sort((left, right) => left.from - right.from)
  const covered = new Set(found.map(({ day }) => day))
  for (const [position, next] of found.entries()) {
    const first = found[position - 1]
    if (first === undefined || !between.test(bare.slice(first.to, next.from))) continue
    for (let day = first.day; day !== next.day; day = (day + 1) % 7) covered.add(day)
  }
  const lower = bare.toLowerCase()
  if (everyDay.test(lower)) for (let day = 0; day < 7; day++) covered.add(day)
  if (working.test(lower)) for (let day = 0; day < 5; day++) covered.add(day)
  if (weekend.test(lower)) for (const day of [5, 6]) covered.add(day)
  return covered
}
