import type { Passage } from '@parley/contract/knowledge-passage'
import type { ModelMessage } from '../../../ports.ts'

/** Passages as a search finds them, for the tests of answers from documents. */

/** A passage of a document; `place` says where it stands. */
export function passageOf(
  sourceName: string,
  text: string,
  place: { readonly headings?: readonly string[]; readonly page?: number; readonly score?: number } = {},
): Passage {
  return {
    knowledgeBaseId: 'knowledge_base_1',
    sourceId: `source_${sourceName}`,
    sourceType: 'file',
    sourceName,
    url: null,
    page: place.page ?? null,
    headings: [...(place.headings ?? [])],
    text,
    score: place.score ?? 0.7,
    mode: 'lexical',
  }
}

/** The message that carries passages, with their quoted form as models without structure get it. */
export function quoted(passages: readonly Passage[]): ModelMessage {
  const content = passages.map(({ sourceName, text }) => `[${sourceName}]\n${text}`).join('\n\n')
  return { role: 'system', content: `Passages found for the question:\n${content}`, passages }
}

export const workshop: readonly Passage[] = [
  passageOf(
    'Price list.pdf',
    'A flat tyre costs €18, including the tube. A brake service takes one day and costs €35.',
    {
      headings: ['Repairs'],
      page: 3,
    },
  ),
  passageOf(
    'catalogue_2026.csv',
    'Model: Tornado X3; Price: €1,299; Weight: 11.2 kg; Range: 80 km\nModel: Tornado X5; Price: €1,899; Weight: 10.4 kg; Range: 120 km',
    { headings: ['E-bikes'] },
  ),
  passageOf(
    'Opening hours',
    'The Graz shop opens Monday to Friday from 9:00 to 18:00. On Saturdays it closes at 13:00.',
    { headings: ['Graz'] },
  ),
]

export const hotel: readonly Passage[] = [
  passageOf(
    'House guide.docx',
    'Breakfast\nServed from 7 to 10 am in the Garden Room. On Sundays until 11 am.\n\nParking\nThe underground car park has 40 spaces. A space costs €14 per night.\n\nPets\nDogs up to 15 kg are welcome for €12 per night. Other animals are not allowed.',
    { headings: ['Services'], page: 2 },
  ),
  passageOf(
    'House guide.docx',
    'The Alpina room has a balcony and a walk-in shower. It sleeps two guests.\n\nThe Bellevue room has a bathtub and a view of the lake. It sleeps four guests.',
    { headings: ['Rooms'], page: 5 },
  ),
  passageOf(
    'Questions and answers',
    'How do I get to the hotel from the airport?\nTake bus 38 to Lindenplatz; the ride takes 25 minutes. Our shuttle runs on request for €30.\n\nCan I check out later?\nA late check-out until 2 pm costs €25 and depends on availability.',
    {},
  ),
]

export const languages: readonly Passage[] = [
  passageOf(
    'Gebührenordnung 2026',
    'Die Ausstellung eines Reisepasses kostet 70 Euro und dauert drei Wochen. Für Kinder unter 12 Jahren kostet der Reisepass 37 Euro.',
    { headings: ['Bürgeramt', 'Ausweise'], page: 4 },
  ),
  passageOf(
    'Guide de la piscine',
    'La piscine ouvre du lundi au vendredi de 9h à 20h. Une entrée coûte 6 € pour les adultes et 3 € pour les enfants.',
    { headings: ['Piscine municipale'] },
  ),
  passageOf(
    'Condiciones del seguro',
    'El robo del equipaje está cubierto hasta 1.500 €. La franquicia es de 100 € por siniestro. Debe avisar en un plazo de 48 horas.',
    { headings: ['Seguro de viaje'], page: 7 },
  ),
]
