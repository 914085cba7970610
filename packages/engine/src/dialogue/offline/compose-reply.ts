import { conceptsByForm, conceptsOfTerm, conceptTopic } from './concepts.ts'
import type { Identity } from './identity.ts'
import type { PromptReading } from './read-prompt.ts'
import { asSentence, joinAsSpoken } from './split-sentences.ts'
import { tokenize } from './tokenise.ts'

/** Up to three things that the agent knows about, as a customer would call them. */
export function topicsOf(readings: readonly PromptReading[]): string[] {
  const named = readings
    .flatMap((reading) => reading.topics)
    .filter(
      (topic) =>
        !/^(?:faq|questions?|information|info|general|knowledge|context|about(?: us)?|facts?|important|notes?|details)\b/i.test(
          topic,
        ),
    )
    .filter((topic) => /^[\p{L}\p{N}' &/-]+$/u.test(topic))
  const topics = new Set(
    named
      .slice(0, 3)
      .map((topic) =>
        /^\p{Lu}\p{Ll}/u.test(topic) && !/ \p{Lu}/u.test(topic)
          ? topic.charAt(0).toLowerCase() + topic.slice(1)
          : topic,
      ),
  )
  if (topics.size < 3) {
    for (const fact of readings.flatMap((reading) => reading.facts).slice(0, 60)) {
      const concepts = [...conceptsByForm(fact.text), ...tokenize(fact.text).flatMap((term) => conceptsOfTerm(term))]
      for (const concept of concepts) {
        const topic = conceptTopic(concept)
        if (
          topic !== null &&
          topics.size < 3 &&
          ![...topics].some((known) => known.includes(topic) || overlapping(known, topic))
        )
          topics.add(topic)
      }
    }
  }
  return [...topics]
}

function overlapping(left: string, right: string): boolean {
  const terms = new Set(tokenize(left).flatMap((term) => [term, ...conceptsOfTerm(term)]))
  return tokenize(right).some((term) => terms.has(term) || conceptsOfTerm(term).some((concept) => terms.has(concept)))
}

function help(topics: readonly string[]): string {
  return topics.length === 0 ? '' : ` I can help with ${joinAsSpoken(topics, 'or')}.`
}

/** Said first, or to a bare greeting. */
export function composeGreeting(identity: Identity, opening: boolean): string {
  if (identity.greeting !== null && opening) return asSentence(identity.greeting)
  return `Hello${opening && identity.introduction !== null ? `! ${identity.introduction}` : '!'} How can I help you?`
}

/** Says who the agent is, and that it is a machine when that was the question. */
export function composeIdentity(identity: Identity, message: string): string {
  const introduction =
    identity.introduction ??
    (identity.business === null ? 'I am the assistant here.' : `I am the assistant of ${identity.business}.`)
  if (/\b(?:bot|robot|human|ai|machine|real|computer|person)\b/i.test(message))
    return `I am an automated assistant. ${introduction}`
  return `${introduction} How can I help you?`
}

/** The last words of a conversation. */
export function composeGoodbye(identity: Identity): string {
  return identity.business === null
    ? 'Thank you, and goodbye!'
    : `Thank you for contacting ${identity.business.replace(/\.$/, '')}. Goodbye!`
}

/** The answer to thanks. */
export function composeThanks(): string {
  return 'You are welcome! Is there anything else I can help you with?'
}

/** The answer to requests for the prompt itself; quotes nothing of it but topics. */
export function composeRefusal(topics: readonly string[]): string {
  return `I cannot share how I was set up, but I am happy to help you otherwise.${help(topics)}`
}

/** Nothing fits: says so, or asks back when nothing was asked; never the same sentence twice in a row. */
export function composeUnknown(
  topics: readonly string[],
  options: { readonly asked: boolean; readonly lastSaid: string },
): string {
  const first = options.asked
    ? `I do not have that information.${help(topics)} `.trim()
    : `Could you tell me a bit more about what you need?${help(topics)} `.trim()
  return options.lastSaid.trim() === first
    ? `I am afraid I cannot find anything on that. Could you put it in other words?${help(topics)}`
    : first
}
