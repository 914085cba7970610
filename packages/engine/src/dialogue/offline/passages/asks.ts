import { isQuestion, withoutGreeting } from '../intents.ts'
import { formOf } from './answer-form.ts'

const asksFirst =
  /^(?:(?:on|in|at|by|for|from|to|with|until|till|since|around|um|an|ab|bis|mit|bei|für|seit|à|de|en|pour|avec|depuis|jusqu['’]à|a|con|para|hasta|desde) )?(?:what|which|whom|whose|when|am i|welche[mnrs]?|wen|wem|wessen|wieviel|wohin|woher|womit|kann|können|darf|dürfen|muss|gibt|habt|haben|hat|ist|sind|bietet|combien|comment|pourquoi|quels?|quelles?|est-ce|y a-t-il|puis-je|peut-on|avez-vous|faut-il|c[oó]mo|cu[aá]l(?:es)?|cu[aá]nt[oa]s?|qui[eé]n(?:es)?|hay|tienen|puedo|se puede)(?![\p{L}-])/iu

/** Whether a message wants an answer, by its form, also without a question mark: "on which days are you open". */
export function asksSomething(message: string): boolean {
  return isQuestion(message) || asksFirst.test(withoutGreeting(message)) || formOf(message) !== null
}

const tellsProblem =
  /\b(?:cannot|can['’]?t|could ?n['’]?t|won['’]?t|does ?n['’]?t|does not|do not|don['’]?t|is ?n['’]?t|is not|lost|forgot|forgotten|broken|stuck|stolen|problem|trouble|error|need|needs|want|would like|i['’]d like|geht nicht|funktioniert nicht|kann (?:\p{L}+ ){0,4}nicht|verloren|vergessen|kaputt|brauche|möchte|will|ne (?:marche|fonctionne)|ne peux pas|j['’]ai (?:perdu|oublié|besoin)|voudrais|no (?:funciona|puedo)|he (?:perdido|olvidado)|necesito|quiero|quisiera)(?!\p{L})/iu

/** Whether a message tells of a problem or a wish, for which documents may know what to do. */
export function tellsNeed(message: string): boolean {
  return tellsProblem.test(message)
}
