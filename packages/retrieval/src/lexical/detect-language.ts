import { foldDiacritics, lowerCase } from './fold-text.ts'

/**
 * Function words, question words and polite phrases by language (ISO 639-1). They identify the language of a text and
 * carry no topic. Words with a meaning in a neighboring language (`car`, `die`, `come`) are omitted where possible.
 */
const LISTS: Readonly<Record<string, string>> = {
  en: `the a an and or but if so of to in on at by for with from into about as than then this that these those there
    here i me my mine we us our you your yours he him his she her it its they them their is am are was were be been
    being do does did done have has had having will would shall should can could may might must not no yes just also too
    very really please some any all more most much many what which who whom whose when where why how whether want wants
    wanted need needs know tell say let get got give going hi hello hey thanks thank okay ok sorry someone something
    anything im ive id ill youre dont doesnt didnt isnt arent cant wont whats wheres hows thats theres during before
    after until till since over under again up out off only each every ever still while within without between through
    around both own same such few other another per yet though although because however else instead already often
    always never maybe well`,
  de: `der das den dem des ein eine einen einem einer eines und oder aber ich du er sie es wir ihr mich mir dich dir uns
    euch ihnen ihm ihn ist sind war waren bin bist hat haben habe hatte wird werden wurde kann kannst können könnte
    könnten muss müssen soll sollte darf dürfen möchte möchten will wollen ihre ihren ihrer ihrem euer eure mein meine
    meinen meiner sein seine wer wie wo wann warum wieso welche welcher welches welchen wieviel viel viele von zu zum
    zur im am um auf für mit bei beim nach aus über unter durch nicht kein keine keinen auch noch nur schon sehr wenn
    dass weil als bitte danke hallo gibt gibts man sich dies diese dieser dieses diesem denn doch mal etwas vor ohne
    seit bis gegen während immer nie wieder hier dort da dann jetzt alle alles jeder jede jedes andere anderen anderer
    so nun damit dazu davon`,
  fr: `le la les un une des du de et ou mais je tu il elle on nous vous ils elles mon ma mes ton ta tes son sa ses notre
    nos votre vos leur leurs est sont suis êtes sommes être était ai as avez avons ont avoir fait faire peut peux pouvez
    puis que qui quoi quel quelle quels quelles où quand comment pourquoi combien pas ne se ce cet cette ces cela ça
    dans sur sous avec sans par pour au aux en y plus très aussi si bien merci bonjour svp voudrais veux faut dois
    est-ce lorsque dont qu jusqu c d l j n s déjà encore toujours jamais pendant depuis avant après entre chez vers tout
    tous toute toutes autre autres même comme alors ici là`,
  es: `el la los las un una unos unas y o pero yo tú usted ustedes él ella ellos ellas nosotros me te se nos le les lo
    mi mis tu tus su sus es son está están estoy ser estar era fue hay he ha han tiene tienen tengo puede puedo pueden
    que qué quién quiénes cuál cuáles dónde cuándo cómo cuánto cuánta cuántos cuántas por para con sin de del al en a
    desde hasta entre sobre no sí muy más también ya como cuando si porque este esta estos estas ese esa eso esto hola
    gracias quiero quisiera necesito hacer debe todo toda todos todas otro otra otros otras antes después durante según
    ahora aquí allí siempre nunca cada solo`,
  it: `il lo la i gli le un uno una e o ma io tu lui lei noi voi loro mi ti ci vi si che chi cosa dove quando perché
    quanto quanta quanti quante quale quali sono è siete siamo sei essere era ho hai ha hanno abbiamo avete avere può
    posso possono puoi di del della dei delle degli dello dell da dal dalla in nel nella nei nelle con su sul sulla per
    tra fra non più anche molto questo questa questi queste quello quella suo sua suoi mio mia al alla ai alle agli allo
    vorrei devo deve grazie ciao buongiorno c l un prima dopo durante fino ogni tutto tutti tutta tutte altro altri
    altra altre sempre mai già ancora solo ora qui`,
  pt: `o a os as um uma uns umas e ou mas eu tu ele ela nós vocês você eles elas me te se lhe que quem qual quais onde quando
    como quanto quanta quantos quantas porque é são está estão ser estar foi era tem têm tenho há pode posso podem de do da dos
    das em no na nos nas ao aos à às com sem por pelo pela para entre sobre até não sim muito mais também já este esta isto esse
    essa isso seu sua seus suas meu minha olá obrigado obrigada quero gostaria preciso fazer deve`,
  nl: `de het een en of maar ik jij je u wij we zij ze hij hem haar hun mijn uw jouw ons onze is zijn was waren ben bent
    wordt worden werd heb hebt heeft hebben had kan kunt kunnen moet moeten mag mogen wil willen zou zal zullen wat wie
    waar wanneer hoe hoeveel waarom welke welk van voor met op in aan bij naar uit over onder door tot te om als dan dat
    die dit deze er niet geen wel ook nog maar al zeer veel meer graag alstublieft bedankt hallo via tussen zonder tegen
    tijdens altijd nooit weer hier daar nu alle alles elke andere`,
  sv: `och eller men jag du han hon vi ni de dem den det en ett är var vara blir har hade kan kunde ska skulle måste får vill vad
    vem var när hur varför vilken vilket vilka av för med på i om till från under över vid efter utan inte ingen inga också bara
    mycket mer många som att detta denna dessa min mitt mina din ditt dina er ert era vår vårt våra sin sitt sina tack hej finns
    mellan upp ut man så än`,
  da: `og eller men jeg du han hun vi i de dem den det en et er var være bliver blev har havde kan kunne skal skulle må vil
    ville hvad hvem hvor hvornår hvordan hvorfor hvilken hvilket hvilke hvis af for med på om til fra under over ved efter uden
    ikke ingen også kun meget mere mange som at dette denne disse min mit mine din dit dine jeres vores sin sit sine deres tak hej
    findes mellem op ud man så end når der`,
  no: `og eller men jeg du han hun vi dere de dem den det en et ei er var være blir ble har hadde kan kunne skal skulle må vil
    ville hva hvem hvor når hvordan hvorfor hvilken hvilket hvilke hvis av for med på i om til fra under over ved etter uten ikke
    ingen også bare mye mer mange som at dette denne disse min mitt mine din ditt dine deres vår vårt våre sin sitt sine takk hei
    finnes mellom opp ut man så enn`,
  fi: `ja tai mutta minä sinä hän me te he se ne tämä tuo nämä on ovat oli olla olen olet olemme ole ei en et emme eivät voi
    voin voit voiko voimme voivat pitää täytyy saa saako mitä mikä mitkä kuka missä mistä mihin milloin miten miksi kuinka paljonko
    montako onko myös vain jos kun että joka jotka kanssa ilman ennen jälkeen sekä kuin niin vielä jo hyvin paljon enemmän kiitos
    hei minun sinun teidän meidän haluan haluaisin mukaan`,
  pl: `i oraz lub albo ale a ja ty on ona ono my wy oni mnie mi ci się jest są był była było być będzie będą mam masz ma mają
    może można mogę możesz możemy mogą czy co kto gdzie kiedy jak dlaczego ile który która które którzy jaki jaka jakie w we z ze
    na do od po o u przy przed przez dla bez nad pod za nie tak też także tylko już jeszcze bardzo więcej ten ta to te tego tej
    tym tych że żeby jeśli gdy mój moja moje twój nasz nasza wasz swój proszę dziękuję cześć chcę chciałbym chciałabym oraz`,
  cs: `a i nebo ale já ty on ona ono my vy oni mě mi se si je jsou byl byla bylo být bude budou mám máte má mají může můžu můžete
    mohu lze co kdo kde kdy jak proč kolik který která které jaký jaká jaké v ve z ze na do od po o u při před přes pro bez nad
    pod za ne ano také jen už ještě velmi více ten ta to ty toho té tom těch že aby pokud když můj moje váš vaše náš naše svůj
    prosím děkuji dobrý chci chtěl nebo`,
  hu: `a az egy és vagy de én te ő mi ti ők van vannak volt lesz lehet kell nem igen is csak már még nagyon több mit mi ki hol
    mikor hogyan hogy miért mennyi mennyibe hány melyik milyen meg ha mert mint ez ezt ezek ezen azok azt arra után előtt alatt
    között szerint nélkül által tud tudok tudom köszönöm kérem szia szeretnék szeretném önök önnek`,
  ro: `și sau dar eu tu el ea noi voi ei ele mă te se ne vă un o unui unei al a ai ale este sunt era fi fost am ai are avem aveți
    au poate pot puteți poți trebuie ce cine unde când cum cât câți câte care de din la în pe cu fără pentru prin după înainte
    între până nu da mai foarte doar și acest această acestea acești acel aceea dacă deoarece decât meu mea dumneavoastră vreau
    mulțumesc bună vă rog`,
  tr: `ve veya ya da ama ben sen o biz siz onlar bu şu bir mi mı mu mü misiniz var yok değil ne kim nerede nereye nereden zaman
    nasıl neden niçin kaç hangi için ile gibi kadar sonra önce göre olan olarak olur oldu olabilir çok daha en de da ki her hiç
    bazı eğer lütfen merhaba teşekkürler istiyorum gerekir gerekiyor edebilir miyim`,
  ru: `и или но а я ты он она оно мы вы они меня мне мой моя ваш ваша ваши наш это этот эта эти тот та те быть был была было
    есть нет не да в во на с со к ко по за из от до у о об при для без под над через между что чтобы кто где когда как почему
    сколько какой какая какие который которая которые можно нужно могу можете может если также только уже ещё очень более все
    спасибо пожалуйста здравствуйте хочу ли же бы`,
  uk: `і й та або але я ти він вона воно ми ви вони мене мені мій моя ваш ваша наш це цей ця ці той бути був була було є немає
    не так в у на з із зі до від по за про при для без під над через між що щоб хто де коли як чому скільки який яка які можна
    потрібно можу можете може якщо також тільки вже ще дуже більше всі дякую добрий хочу чи же`,
  bg: `и или но а аз ти той тя то ние вие те мен ми ви ни си се съм е са сме сте беше бъде ще има няма не да в във на с със към
    по за из от до при без под над през между че кой коя кое кои къде кога как защо колко какъв каква какво какви може мога можете
    трябва ако също само вече още много повече този тази това тези всички благодаря моля здравейте искам ли`,
  el: `ο η το οι τα του της των τον την τους τις ένα ένας μια και ή αλλά εγώ εσύ αυτός αυτή αυτό εμείς εσείς μου σου μας σας
    είναι ήταν έχει έχω έχετε έχουν να θα δεν μην ναι όχι σε στο στη στην στον στα στις από με για προς χωρίς μετά πριν μέχρι τι
    ποιος ποια ποιο πού πότε πώς γιατί πόσο πόσα μπορώ μπορείτε μπορεί αν όταν που ότι πολύ πιο επίσης μόνο ευχαριστώ παρακαλώ
    θέλω υπάρχει`,
  vi: `là của và các một trong có không được cho với những này đã để từ khi như về tại người đến ở ra bị vào nào thì mà ai gì
    đâu bao nhiêu thế hay hoặc nhưng nếu cũng rất đang sẽ tôi bạn chúng quý khách xin vui lòng trên dưới sau trước theo do bởi
    vì nên mỗi mọi còn đó ấy chỉ`,
}

function parseWords(list: string): string[] {
  return list.split(/\s+/).map((word) => foldDiacritics(lowerCase(word)))
}

/** Function words by language, in lower case without diacritics. */
export const stopWords: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(LISTS).map(([language, list]) => [language, new Set(parseWords(list))]),
)

const languages = [...stopWords.keys()]

/** Languages of each function word, as bits in the order of `languages`. */
const languageBitsByWord: ReadonlyMap<string, number> = languages.reduce((bits, language, position) => {
  for (const word of stopWords.get(language) ?? []) bits.set(word, (bits.get(word) ?? 0) | (1 << position))
  return bits
}, new Map<string, number>())

/** Returns the weight of a function word, which is lower if several languages share the word. */
function computeWeight(bits: number): number {
  let count = 0
  for (let remainingBits = bits; remainingBits !== 0; remainingBits &= remainingBits - 1) count++
  return 1 / count
}

const MIN_WORDS = 2
const MAX_SAMPLED_WORDS = 400

/**
 * Returns the language (ISO 639-1) with the most function words in a text, or `null` if there are too few. `words` must
 * be in lower case without diacritics.
 */
export function detectLanguage(words: Iterable<string>): string | null {
  const scores = new Array<number>(languages.length).fill(0)
  const counts = new Array<number>(languages.length).fill(0)
  let sampledCount = 0
  for (const word of words) {
    if (sampledCount++ > MAX_SAMPLED_WORDS) break
    const bits = languageBitsByWord.get(word)
    if (bits === undefined) continue
    const weight = computeWeight(bits)
    for (let position = 0; position < languages.length; position++) {
      if ((bits & (1 << position)) === 0) continue
      scores[position] = (scores[position] ?? 0) + 1 + weight
      counts[position] = (counts[position] ?? 0) + 1
    }
  }
  let bestPosition = -1
  for (let position = 0; position < languages.length; position++) {
    if ((scores[position] ?? 0) > (bestPosition < 0 ? 0 : (scores[bestPosition] ?? 0))) bestPosition = position
  }
  return bestPosition >= 0 && (counts[bestPosition] ?? 0) >= MIN_WORDS ? (languages[bestPosition] ?? null) : null
}
