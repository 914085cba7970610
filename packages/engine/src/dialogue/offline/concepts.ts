import { stemWord } from './tokenise.ts'

interface Concept {
  readonly id: string
  /** How the concept is named when the agent says what it can help with; `null` is never offered. */
  readonly topic: string | null
  readonly words: string
  /** Recognises the concept in a fact that uses none of the words. */
  readonly sign?: RegExp
}

const concepts: readonly Concept[] = [
  {
    id: '#price',
    topic: 'prices',
    words:
      'price prices pricing cost costs fee fees rate rates charge charges tariff expensive cheap kosten kostet preis preise',
    sign: /[€$£¥]|\b(?:eur|usd|gbp|chf|euros?|dollars?|free of charge|for free)\b/i,
  },
  {
    id: '#hours',
    topic: 'opening hours',
    words:
      'hour hours open opens opening close closes closing closed time times schedule offen geoffnet offnungszeiten ouvert ouverture horaires abierto horario orario aperto',
    sign: /\b\d{1,2}(?::\d{2})?\s?(?:am|pm|a\.m|p\.m)\b|\b\d{1,2}:\d{2}\b|\b(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?s?\b/i,
  },
  {
    id: '#place',
    topic: 'the address',
    words: 'address location located locate directions street situated based adresse direccion indirizzo',
    sign: /\b\d{1,5} [A-Z]\w+ (?:street|st|road|rd|avenue|ave|lane|square|drive)\b|\w(?:straße|strasse|platz|gasse) \d+|\b(?:street|road|avenue|square|boulevard) \d+/i,
  },
  {
    id: '#phone',
    topic: 'contact details',
    words: 'phone telephone call contact reach mobile',
    sign: /\+?\d[\d ()/-]{6,}\d/,
  },
  { id: '#email', topic: null, words: 'email mail contact reach', sign: /\S@[^\s@]+\.[^\s@]/ },
  { id: '#delivery', topic: 'delivery', words: 'deliver delivery deliveries ship shipping shipment courier' },
  {
    id: '#booking',
    topic: 'bookings',
    words: 'book booking bookings reserve reservation reservations appointment appointments schedule',
  },
  { id: '#cancel', topic: 'cancellations', words: 'cancel cancels cancelled cancellation cancellations' },
  { id: '#refund', topic: 'refunds', words: 'refund refunds return returns reimburse reimbursement exchange' },
  {
    id: '#payment',
    topic: 'payment',
    words: 'pay pays payment payments cash card cards credit debit paypal visa invoice',
  },
  {
    id: '#person',
    topic: null,
    words: 'human person agent representative operator staff transfer escalate handoff colleague employee',
  },
  { id: '#child', topic: null, words: 'child children kid kids baby toddler' },
  { id: '#parking', topic: 'parking', words: 'park parking garage car' },
  { id: '#bike', topic: null, words: 'bike bikes bicycle bicycles cycle' },
  { id: '#doctor', topic: null, words: 'doctor doctors physician physicians dr' },
  { id: '#buy', topic: null, words: 'buy purchase order sell offer' },
  { id: '#repair', topic: null, words: 'repair repairs fix fixing broken' },
  { id: '#pet', topic: null, words: 'pet pets dog dogs cat animal animals' },
  { id: '#status', topic: null, words: 'status track tracking progress arrive' },
  { id: '#change', topic: null, words: 'change reschedule move modify update rebook' },
  { id: '#people', topic: null, words: 'people persons guests party adults' },
  { id: '#rent', topic: null, words: 'rent rental rentals hire' },
]

const idsByTerm = new Map<string, string[]>()
for (const concept of concepts) {
  for (const word of concept.words.split(' ')) {
    const term = stemWord(word)
    const ids = idsByTerm.get(term) ?? []
    if (!ids.includes(concept.id)) idsByTerm.set(term, [...ids, concept.id])
  }
}

/** The concepts that a term (as `tokenise` gives it) belongs to; the ids live in the same space as terms. */
export function conceptsOfTerm(term: string): readonly string[] {
  return idsByTerm.get(term) ?? []
}

/** The concepts that a fact shows by its form (a price, opening times, a phone number …). */
export function conceptsByForm(text: string): string[] {
  return concepts.filter((concept) => concept.sign?.test(text)).map((concept) => concept.id)
}

/** How a concept is named to a customer, when it is a topic of its own. */
export function conceptTopic(id: string): string | null {
  return concepts.find((concept) => concept.id === id)?.topic ?? null
}

const questionForms: readonly (readonly [RegExp, string])[] = [
  [/\bhow much\b|\bwieviel|\bwie viel|\bcombien\b|\bcu[aá]nto cuesta|多少钱|いくら/i, '#price'],
  [
    /\bwhen\b|\bwhat time\b|\bhow late\b|\bhow early\b|\bwann\b|\bquand\b|\bcu[aá]ndo\b|几点|什么时候|何時|いつ/i,
    '#hours',
  ],
  [/\bwhere\b|\bhow (?:do|can) i (?:get (?:to|there)|find)\b|\bwo\b|\bo[uù]\b|\bd[oó]nde\b|哪里|どこ/i, '#place'],
]

/** The concepts that the form of a question asks for: "how much" asks for a price. */
export function conceptsOfQuestion(text: string): string[] {
  return questionForms.filter(([form]) => form.test(text)).map(([, id]) => id)
}
