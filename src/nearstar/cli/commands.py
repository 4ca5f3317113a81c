"""The commands of ``nearstar``, with their help."""

from __future__ import annotations

from nearstar.cli import (
    demo,
    domains,
    evaluate,
    explain,
    export,
    fit,
    fit_options,
    predict,
    report,
    reproduce,
    resume,
    showing,
    simplify,
    watch,
)
from nearstar.cli.parser import Command, Place

_MODEL = Place("model", "a model.json, or the folder of a fit")
_DATA = Place("data", "a .csv, .parquet, .npz, .npy or .ts file, or a folder of .npy files")

COMMANDS = (
    Command(
        "fit",
        "Learn a program from data",
        fit.fit,
        places=(_DATA,),
        options=fit_options.OPTIONS,
        configurable=True,
        details="""
DATA is a table with one row for each frame (.csv, .parquet), or arrays (.npz, .npy, .ts). Parts
named train, valid and test are used as such; else a share of the sequences validates. Flags can
stand in a TOML file too, given with --config: max_depth = 6 for --max-depth 6.""",
        examples="""\
  nearstar fit mice.csv --sequence video --label behavior --group "position=*_x,*_y" --time 5m
  nearstar fit mice.csv --sequence video --label behavior --positive sniff --split-by animal
  nearstar fit mice.csv --sequence video --label behavior --derive "distance(nose1, nose2)"
  nearstar fit long.csv --label behavior --window 100 --hop 50
  nearstar fit arrays.npz --domain basketball --search idsbb --time 10m
  nearstar fit arrays.npz --domain basketball --weight 0.5 --cache arrays-run
  nearstar fit mice.csv --config settings.toml --sketch "map (fun x_t. if ?? > 0 then ?? else ??) x"
  nearstar fit mice.csv --config settings.toml --program "map (fun x_t. DistanceAffine(x_t)) x\"""",
    ),
    Command(
        "resume",
        "Go on with a fit that was ended: by Ctrl-C, a limit, a crash or a power cut",
        resume.resume,
        places=(Place("run", "the folder of a fit"),),
        options=resume.RESUMING,
        details="""
Nothing is trained again, and the result is that of a run that was never ended. Data and settings
are those that the run was begun with, in its settings.toml; limits count for the whole run.""",
        examples="""\
  nearstar resume mice-run
  nearstar resume mice-run --time 1h
  nearstar resume mice-run --cluster tcp://node1:8786""",
    ),
    Command(
        "watch",
        "Follow a run in the browser: the best program so far, the gap, the tree of the search",
        watch.watch,
        places=(Place("run", "the folder of a fit, before, while or after it runs"),),
        options=watch.OPTIONS,
        details="""
The page reads the run's journal, and nothing else; it can be begun and ended at any time, as often
as you like, without disturbing the run. Only this machine can see it.""",
        examples="""\
  nearstar watch mice-run
  nearstar watch mice-run --no-browser --port 9000""",
    ),
    Command(
        "show",
        "Print a learned program, what it reads and how good it is",
        showing.show,
        places=(_MODEL,),
        options=showing.OPTIONS,
        examples="  nearstar show mice-run\n  nearstar show mice-run/front/1.json --digits 2",
    ),
    Command(
        "report",
        "Write a page to read in a browser: program, scores, labels over time, search",
        report.report,
        places=(Place("run", "the folder of a fit, or a model.json"),),
        options=report.OPTIONS,
        details="""
One HTML file that needs nothing else. The data are read again as the run's settings say; what was
broken off is reported as far as it came.""",
        examples="""\
  nearstar report mice-run
  nearstar report mice-run --compare mice-rnn --only video3 --out mice.html
  nearstar report mice-run/front/1.json --test new.csv""",
    ),
    Command(
        "simplify",
        "Take from a program the weights and digits that it does as well without",
        simplify.simplified,
        places=(
            Place("run", "the folder of a fit, or a model.json"),
            Place("data", "labelled data to judge by (the validation data of the run)", True),
        ),
        options=simplify.OPTIONS,
        details="""
The model is written to a file of its own; what is in the folder of the run stays as it is.""",
        examples="""\
  nearstar simplify mice-run
  nearstar simplify mice-run --loss 0.005 --harden
  nearstar simplify mice-run/front/2.json valid.csv --digits 2 --out simple.json""",
    ),
    Command(
        "predict",
        "Label data with a model",
        predict.predict,
        places=(_MODEL, _DATA),
        options=predict.OPTIONS,
        details="""
One row for each frame, or for each sequence. Columns are those that the model was learned with,
unless flags say otherwise.""",
        examples="""\
  nearstar predict mice-run new.csv --out labels.csv
  nearstar predict mice-run new.csv --probabilities --min-bout 5""",
    ),
    Command(
        "evaluate",
        "Compare a model's labels with those in the data",
        evaluate.evaluate,
        places=(_MODEL, _DATA),
        options=evaluate.OPTIONS,
        details="\nFrame by frame, and bout by bout: a bout is a run of frames with one label.",
        examples="""\
  nearstar evaluate mice-run test.csv
  nearstar evaluate mice-run test.csv --min-bout 5 --json""",
    ),
    Command(
        "explain",
        "Show why: the value of each part of the program, for each frame",
        explain.explain,
        places=(_MODEL, _DATA),
        options=explain.OPTIONS,
        details="""
The program's parts are numbered on standard error; the table has columns for each.""",
        examples="  nearstar explain mice-run new.csv --only video3 --out why.csv",
    ),
    Command(
        "export",
        "Write a program as Python, ONNX, LaTeX or JSON",
        export.export,
        places=(_MODEL,),
        options=export.OPTIONS,
        examples="""\
  nearstar export mice-run --to python --out sniff.py      (needs only NumPy)
  nearstar export mice-run --to onnx --out sniff.onnx
  nearstar export mice-run --to latex""",
    ),
    Command(
        "domains",
        "List the built-in domains, or describe one",
        domains.domains,
        places=(Place("name", "a built-in domain or a TOML file", optional=True),),
        options=domains.OPTIONS,
        examples="  nearstar domains crim13\n  nearstar domains crim13 --toml > mine.toml",
    ),
    Command(
        "reproduce",
        "Run the paper's experiments: seven algorithms on a task, as tables and figures",
        reproduce.run,
        places=(Place("task", "a task; without one they are listed", optional=True),),
        options=reproduce.OPTIONS,
        details="""
Each algorithm has several trials, the baselines as much time as NEAR took. The results are a page,
Markdown, CSV and SVG in a folder. Ctrl-C ends it; the same command goes on where it stopped.""",
        examples="""\
  nearstar reproduce
  nearstar reproduce hidden-rule --time 20s
  nearstar reproduce nba --data nba_ballhandler.npz
  nearstar reproduce crim13-sniff --data crim13_processed --paper
  nearstar reproduce rat-social --data rats.npz --algorithms astar --trials 20 --weights none""",
    ),
    Command(
        "demo",
        "Learn from real smart-watch recordings, in about a minute",
        demo.demo,
        options=demo.OPTIONS,
        examples="  nearstar demo\n  nearstar demo --table mice.csv",
    ),
)
