import type { Field } from './schema-fields.ts'
import { joinAsSpoken } from './split-sentences.ts'

/** The question for a field, in plain words. The same field always gets the same question, so that it is recognised later. */
export function askField(field: Field): string {
  if (field.question !== '') return field.question
  const label = field.label
  switch (field.kind) {
    case 'choice':
    case 'choices': {
      const choices = field.choices.map((choice) => String(choice).replaceAll('_', ' '))
      if (choices.length > 8) return `Which ${label} would you like?`
      return `Which ${label} would you like: ${joinAsSpoken(choices, 'or')}?`
    }
    case 'boolean': {
      const whether =
        /^(?:whether|if|true if)\s+(?:or not\s+)?(?:the\s+)?(?:user|customer|caller|patient|guest|client|person)\s+(wants|needs|has|would like|is|agrees|accepts|consents)\s+([^.;(]{2,80})/i.exec(
          field.description,
        )
      if (!whether) return `About ${label}: yes or no?`
      const verb = (whether[1] ?? '').toLowerCase()
      const rest = (whether[2] ?? '').trim().replace(/\btheir\b/g, 'your')
      if (verb === 'is') return `Are you ${rest}?`
      if (verb === 'would like') return `Would you like ${rest}?`
      return `Do you ${verb === 'has' ? 'have' : verb.replace(/s$/, '')} ${rest}?`
    }
    case 'number':
      return /^number of /.test(label) ? `How many ${label.slice('number of '.length)}?` : `What is the ${label}?`
    case 'date':
      return /birth/.test(label)
        ? `What is your ${label}?`
        : `What ${label.includes('date') || label.includes('day') ? label : `date (${label})`} would you like?`
    case 'time':
      return `What ${label.includes('time') ? label : `time (${label})`} would you like?`
    case 'date-time':
      return `What date and time would you like?`
    case 'email':
    case 'phone':
    case 'name':
    case 'first-name':
    case 'last-name':
    case 'address':
      return `What is your ${label}?`
    case 'own-words':
      return `Could you tell me the ${label}?`
    default:
      return `What is the ${label}?`
  }
}
