"""A small game in which somebody is made and grows, for the tests of both."""

GAME = """
kinds:
  hero:
    title: Hero
    sheet:
      groups:
        - {title: Body, stats: [hp, might, wit]}
        - {title: What they can, stats: [rank], only: changed, cards: [gift]}
      tracks: {hp: hp_max}
      left_out: [own_words]
    stats:
      folk: {type: card, card: folk, optional: true}
      might: {type: int, min: 8, max: 18, default: 10, title: Might}
      wit: {type: int, min: 8, max: 18, default: 10, title: Wit}
      level: {type: int, min: 1, max: 5, default: 1}
      bonus_hp: {type: int, default: 0}
      folk_hp: {formula: "folk.base if folk != 'none' else 0"}
      hp: {type: int, min: 0, max: 99, default: 0}
      hp_max: {formula: 5 + level * folk_hp + bonus_hp}
      skills_free: {formula: "max(0, 2 + down((wit - 10) / 2))"}
      rank: {type: flag, each: skill}
      own_words: {type: text, default: ""}
      marks: {type: int, min: 0, max: 20, default: 0}
      notes: {type: int, default: 0, seen: gm}
card_types:
  folk: {title: Folk, fields: {base: {type: int}}}
  skill: {title: Skill, fields: {taught: {type: name, options: [all, stout]}}}
  gift: {title: Gift}
  tool: {title: Tool, fields: {size: {type: int}}}
cards:
  folk:
    stout: {title: Stout Folk, values: {base: 5}}
    fair: {title: Fair Folk, values: {base: 2}}
  skill:
    climb: {title: Climbing, values: {taught: all}}
    hide: {title: Hiding, values: {taught: all}}
    read: {title: Reading, values: {taught: all}}
    mine: {title: Mining, values: {taught: stout}}
  gift:
    glow: {title: Glow, text: Shines in the dark.}
    hush: {title: Hush}
  tool:
    rope: {title: Rope, values: {size: 1}}
    chest: {title: Chest, values: {size: 3}}
creation:
  hero:
    title: A new hero
    shows: [hp_max]
    steps:
      - id: who
        title: Who
        choices:
          - {id: folk, title: Folk, type: card, card: folk, sets: folk}
          - id: gift
            title: Gift
            type: card
            card: gift
            when: folk == 'fair'
            holds: true
          - {id: words, title: In one sentence, type: text, longest: 40, sets: own_words}
      - id: numbers
        title: Numbers
        choices:
          - id: scores
            title: Scores
            type: numbers
            over: [might, wit]
            min: 8
            max: 14
            default: 10
            limits:
              - require: holder.might.base + holder.wit.base == 22
                reason: sum
                text: "a sum of 22; it is {holder.might.base + holder.wit.base}"
        shows: [hp_max]
      - id: learning
        title: Learning
        choices:
          - id: skills
            title: Skills
            type: cards
            card: skill
            count: holder.skills_free
            where: option.taught == 'all' or folk == 'stout'
            right: skills that {folk.title} learn
            steps:
              - {each: skills, as: one, steps: [{set: {"holder.rank[one]": true}}]}
          - {id: blessed, title: Blessed, type: flag, by: gm, steps: [{change: {holder.bonus_hp: 1}, when: blessed}]}
          - id: tools
            title: Tools
            type: cards
            card: tool
            again: true
            limits:
              - {require: sum(one.size for one in tools) <= 4, reason: too_heavy, text: tools of size 4 at most}
        steps:
          - set: {holder.hp: holder.hp_max}
    ready:
      brun:
        name: Brun
        choices: {folk: stout, words: Digs, scores: {might: 12}, skills: [climb, mine]}
advancement:
  hero:
    purchases:
      tougher:
        title: Tougher
        cost: {marks: 1}
        most: 2
        steps: [{change: {holder.bonus_hp: 2}}]
      sharper:
        title: Sharper
        cost: {marks: "1 + bought['sharper']"}
        choices:
          - id: score
            title: Score
            type: name
            options: {might: Might, wit: Wit}
        steps:
          - {change: {holder.might: 1}, when: score == 'might'}
          - {change: {holder.wit: 1}, when: score == 'wit'}
        limits:
          - {require: holder.might <= 13 and holder.wit <= 13, reason: ceiling, text: a score of 13 at most}
    awards:
      mark:
        title: Mark
        steps: [{change: {holder.marks: 1}}]
        limits: [{require: holder.marks <= 2, reason: spend_first, text: two marks unspent at most}]
    levels:
      stat: level
      most: 3
      steps: [{change: {holder.hp: 1}}]
      grants:
        new_gift:
          title: A gift
          at: [2, 3]
          choices:
            - id: gift
              title: Gift
              type: card
              card: gift
              holds: true
              where: not has(holder, option)
              right: one not held
        tithe: {title: A mark, at: [3], steps: [{change: {holder.marks: 1}}]}
"""
