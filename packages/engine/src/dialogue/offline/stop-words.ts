const words = `
a an the and or but if so of to in on at by for with from into about as than then this that these those there here
i me my mine we us our ours you your yours he him his she her it its they them their
is am are was were be been being do does did done doing have has had having will would shall should can could may might must
not no yes just also too very really please some any all more most much many few
what which who whom whose when where why how whether
want wants wanted like likes need needs know tell say let get got give go going make take ask asks
hi hello hey thanks thank okay ok well sorry question information info wondering exactly
im ive id ill youre dont doesnt didnt isnt arent cant wont whats wheres hows thats theres lets
there's user users customer customers caller callers client someone
der die das den dem des ein eine einen einem einer und oder aber ich du er sie es wir ihr mich mir dich dir uns euch ihnen
ist sind war waren bin bist hat haben habe wird werden kann kannst können muss müssen sie ihre ihren ihrer euer eure mein meine
was wer wie wo wann warum welche welcher welches von zu im in am um auf für mit bei nach aus nicht kein keine auch noch bitte gibt
habt ihr sie gibts
le la les un une des du de et ou mais je tu il elle nous vous ils elles mon ma mes ton ta votre vos notre nos
est sont suis es êtes sommes a ai as avez avons ont que qui quoi quel quelle quels quelles où quand comment pourquoi combien
pas ne se ce cet cette ces dans sur avec pour par au aux en
el los las unos unas y o pero yo tú usted ustedes nosotros mi mis su sus es son está están hay qué quién cuál cuáles dónde
cuándo cómo cuánto cuántos por para con sin del al lo se que no
il lo gli uno e ma io noi voi che chi cosa dove quando come perché quanto sono è siete avete ha hanno di da con su per non
het een en of maar ik jij u wij is zijn wat wie waar wanneer hoe van voor met op niet
os as um uma e ou eu nós você vocês o que quem onde quando como quanto são é do da dos das em no na com
`
/** Function words of English and its larger neighbours, lower case and without diacritics: they carry no topic. */
export const stopWords: ReadonlySet<string> = new Set(
  words
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .split(/\s+/)
    .filter((word) => word !== ''),
)
