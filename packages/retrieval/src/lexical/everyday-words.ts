import { foldDiacritics, lowerCase } from './fold-text.ts'
import { stemWord } from './stem-word.ts'

/**
 * Words that are common in any topic, by language (ISO 639-1). They reveal little about a passage, even if they are rare.
 * Function words are in `detect-language.ts`.
 */
const LISTS: Readonly<Record<string, string>> = {
  en: `able add allow answer appear arrive ask away bad become begin believe best better big bit bring buy call care
    carry case catch change check choose clear come consider continue cut day decide different easy end enough expect
    fact fall far feel few fill find fine first fit follow found full good great guess guy half hand happen hard hear
    help here high hold home hope idea include instead interest keep kind know last late later lead learn leave left
    less let life like line list little live long look lose lot love make man matter mean meet mind minute miss moment
    month move much name near never new next nice night number offer old open order own part pass past people person
    place plan play point possible problem put question quick quite rather reach ready real reason receive remember
    right run same second see seem sell send set several short show side simple since single sit small somebody soon
    sort sound speak special stand start stay still stop stuff suppose sure take talk thing think time today together
    tomorrow top total touch towards true try turn type understand use usual wait walk watch way week whole wish wonder
    word work world worry wrong year yesterday young`,
  de: `arbeiten bekommen benutzen bleiben brauchen bringen ding ende erste erhalten fall finden frage fragen ganz geben
    gehen genau genug gern gerne glauben groß gut halten heißen heute helfen hören jahr klein kommen kurz lang lange
    lassen leben legen leicht letzte liegen machen mensch möglich monat morgen müssen nächste nehmen neu nutzen
    passieren problem sache sagen schauen schnell sehen setzen sollen sprechen stehen stellen stimmen stunde suchen tag
    teil tun verstehen versuchen warten weg weise weit weiter wissen woche wollen zeigen zeit ziehen`,
  fr: `aider aimer aller an année arriver autre avoir beau besoin bon bout cas chose commencer comprendre connaître
    demander dernier devenir dire donner écrire entendre essayer exemple façon falloir fin fois garder grand heure jour
    laisser long mettre mois moment monde nouveau parler partie passer penser personne petit place point possible
    premier prendre problème question rendre rester savoir semaine sembler sortir temps tenir tomber trouver utiliser
    venir vie voir vouloir vrai`,
  es: `año ayudar bueno buscar caso comenzar conseguir cosa creer dar decir dejar día empezar encontrar entender entrar
    esperar existir forma gente grande haber hablar hacer hora ir llamar llegar llevar manera mes momento mundo
    necesitar nuevo parecer parte pasar pedir pensar pequeño persona poder poner posible pregunta primero problema
    quedar querer saber salir seguir semana sentir tener tiempo tomar tratar último usar venir ver vez vida volver`,
  it: `andare anno arrivare aspettare avere bello bisogno buono capire cercare chiedere cosa credere dare dire domanda
    dovere esempio fare fine giorno grande lasciare mese mettere modo momento mondo nuovo ora parlare parte passare
    pensare persona piccolo portare possibile potere prendere primo problema restare sapere sembrare sentire settimana
    stare tempo tenere trovare ultimo usare vedere venire vita volere volta`,
  nl: `beginnen begrijpen blijven brengen dag deel denken ding doen eerste einde gaan gebruiken geven geloven gebeuren
    goed groot helpen horen houden jaar kijken klein komen krijgen laatste laten leggen lang liggen maand maken mens
    mogelijk nemen nieuw nodig praten probleem snel spreken staan stellen tijd uur vinden vraag vragen wachten weten
    week werken willen zeggen zetten zien zitten zoeken`,
}

/** Cache of stems and folded words by language. */
const termsByLanguage = new Map<string, ReadonlySet<string>>()

/** Whether a word in any form is an everyday word of one of the languages. `word` must be in lower case with diacritics. */
export function isEverydayWord(word: string, languages: readonly string[]): boolean {
  return languages.some((language) => {
    const terms = getEverydayTerms(language)
    return terms.has(foldDiacritics(word)) || terms.has(stemWord(language, word))
  })
}

function getEverydayTerms(language: string): ReadonlySet<string> {
  const cachedTerms = termsByLanguage.get(language)
  if (cachedTerms !== undefined) return cachedTerms
  const words = (LISTS[language] ?? '').split(/\s+/).filter((word) => word !== '')
  const terms = new Set(words.flatMap((word) => [foldDiacritics(word), stemWord(language, lowerCase(word))]))
  termsByLanguage.set(language, terms)
  return terms
}
