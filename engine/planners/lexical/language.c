#include "planners/lexical/language.h"

#include "planners/lexical/cues.h"

#include <string.h>

/* Function words without accents. Those that are also English (was, die, an), or stand in names of people and places
 * (de, la, von), are in no list or among the particles. */
static const struct {
    const char *name, *words;
} languages[] = {
    { "German",
      " alle allen aller alles als auch auf aus bei beim bitte das dass dem des diese diesem diesen dieser dieses doch "
      "durch "
      "ein eine einem einen einer eines es fur gab gebe geben gib gibt habe haben hatte hatten ich ihr ihre ihrem "
      "ihren "
      "im ins ist jede jedem jeden jeder jedes jeweils kann kein keine keinem keinen keiner konnen liste mehr mein "
      "meine "
      "mir mit nach nenne nicht noch nur oder ohne pro sehr sein seine seit sich sind soll uber um und uns unser "
      "unsere "
      "unserem unseren unserer viel viele vielen vom wann warum welche welchem welchen welcher welches wem wen wenig "
      "wenige weniger wenigsten wer werden wessen wie wieviel wieviele wir wird wo wurde wurden zeig zeige zeigen zu "
      "zum zur zwischen anzahl meisten durchschnitt durchschnittliche durchschnittlichen durchschnittlicher "
      "durchschnittliches der des die den hochste hochsten "
      "hochster hochstes niedrigste niedrigsten niedrigster niedrigstes von " },
    { "French",
      " afficher affiche ans apres au aucun aucune aux avant avec avons avez avoir ces cette chaque combien comment "
      "dans de des du "
      "depuis donne donnez dont elle elles en entre est et etait etre font ils la laquelle le lequel les lesquels leur "
      "leurs "
      "liste listez meme moins moyen moyenne montre montrez nombre nos notre nous ont ou par pas pendant plus pour "
      "pouvez quel quelle quelles quels qui quoi sa sans ses sont sous sur tous tout toute toutes trouve trouvez une "
      "votre vous y " },
    { "Spanish",
      " al alguna algunas algun algunos anos antes cada como con cual cuales cuando cuanta cuantas cuanto cuantos dame "
      "de del "
      "desde despues donde el ella ellos en entre es esta estan estas este estos fue fueron ha han hasta hay la las "
      "lista los "
      "mas mayor menor menos mostrar muestra muestrame ningun ninguna nos nuestra nuestras nuestro nuestros numero o "
      "para "
      "pero por promedio que quien quienes sin sobre su sus tenemos tiene tienen toda todas todo todos tu un una unas "
      "unos y ya " },
    { "Italian",
      " abbiamo alla alle anche che chi ci come con da dal dalla degli dei del della delle dello dove di e elenca "
      "gli ha hanno il la le lo loro meno mostra mostrami negli nei nel nella nelle non ogni piu quale quali quando "
      "quante quanti "
      "quanto senza sono sul sulla tra tutte tutti un una uno " },
    { "Portuguese",
      " ao aos cada com da das de depois do dos e ele eles em entre essa esse esta existem foi foram ha liste mais "
      "menos "
      "mostre na nas nao nossa nossas nosso nossos o onde os ou para pela pelo por qual quais quantas quantos quem sao "
      "sem seu seus sua suas tem temos todas todos um uma umas uns " },
    { "Dutch",
      " aan aantal de alle als bij dat deze dit door een elk elke en er geef geen hebben heeft het hoe hoeveel ik is "
      "kunnen meer met mij mijn minder na naar niet of om onder ons onze ook op over per tot toon tussen uit veel voor "
      "waar wat welk welke wie wij worden wordt zijn zonder " },
    { "Swedish",
      " alla antal av att det dessa efter eller en ett finns flest for fran har hur inte kan manga med mellan "
      "mest och om pa som till utan vad var varje vem vi vilka vilken vilket visa " },
    { "Polish", " bez czy dla ile ilu jak jaka jaki jakie jest kazdego kazdy ktora ktore ktorych ktory ktorzy lub mamy "
                "na nie od pokaz po przez sa sie w wszystkich wszystkie wyswietl z ze " },
};
#define LANGUAGES (sizeof languages / sizeof *languages)

/* Parts of names wherever they are said, and words of English too; they tell of a language only beside others. */
static const char particles[] = " air als ans auf aux bei com come con da dal dame das de del den der des di die do "
                                "door dos dove du e el elle en est "
                                "este font gli ha hat het hoe i il is ist la las le les lo los mas mayor med mir mit "
                                "na non numero o of om over par "
                                "pas plus por pour pro que sa sans se ses sin so son sous su sur te ten ter til to tot "
                                "tout tu uit um un us van viel "
                                "von wo y ya z ";

/* Function words of English that other languages write alike. */
static const char shared[] = " a all am an as do he i in is it me no of on or over per s so that to was we ";

/* First byte of a letter beyond the Latin alphabets: U+0370 and above, without the Latin additions and punctuation. */
static bool other_script(const char *s)
{
    for (; *s; s++) {
        unsigned char a = (unsigned char)s[0], b = (unsigned char)s[1];
        if (a >= 0xCD && a <= 0xDF) return true;
        if (a == 0xE0 || (a == 0xE1 && b < 0xB8) || (a >= 0xE3 && a <= 0xED)) return true;
    }
    return false;
}

static bool named(const struct linked *l, size_t p)
{
    return l->words.items[p].flags & WORD_QUOTED || l->roles[p] == 'v';
}

const char *language_foreign(const struct linked *l)
{
    size_t own = 0, strange = 0, letters = 0, best = 0, hits[LANGUAGES] = { 0 }, sure[LANGUAGES] = { 0 };
    for (size_t p = 0; p < l->words.count; p++) {
        const struct word *x = &l->words.items[p];
        if (x->flags & (WORD_MARK | WORD_NUMBER) || named(l, p)) continue;
        letters++;
        strange += other_script(x->fold) && l->weights[p] < WEIGHT_SURE;
        own += x->flags & WORD_STOP && !word_listed(shared, x->fold);
        for (size_t i = 0; i < LANGUAGES; i++) {
            bool hit = word_listed(languages[i].words, x->fold);
            hits[i] += hit;
            sure[i] +=
                hit && !word_listed(particles, x->fold) && !word_listed(shared, x->fold) && !(x->flags & WORD_STOP);
        }
    }
    if (strange * 2 > letters) return "another language";
    bool even = false; /* two languages fit as well */
    for (size_t i = 1; i < LANGUAGES; i++) {
        bool better = sure[i] > sure[best] || (sure[i] == sure[best] && hits[i] > hits[best]);
        even = better ? false : even || (sure[i] == sure[best] && hits[i] == hits[best]);
        if (better) best = i;
    }
    bool told = sure[best] ? hits[best] > own : hits[best] >= 3 && !own;
    return !told ? NULL : even ? "another language" : languages[best].name;
}
